import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { PartAnswer } from "../../../records/answer.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { TooltipProvider } from "../../controls/basics.tsx";
import { factRow } from "../memory/testing/rows.ts";
import { Coming, QuestionBox } from "./AskCell.tsx";
import { NearestCompetitor } from "../../facts/Recalled.tsx";
import { ExchangeView } from "./ExchangeView.tsx";
import { RecalledFacts, RoutingTable, WhyThese } from "./Trace.tsx";
import { anchorRow, answerOf, exchange, recalledFact } from "./testing/answers.ts";

const nothing = (): void => undefined;
const words = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const rows = new Map<string, FactRow>(
  [factRow(), factRow({ offset: 99, index: 4 })].map((row) => [row.id, row]),
);

const shown = (
  made: ReturnType<typeof exchange>,
  known: ReadonlyMap<string, FactRow> | null = rows,
): string =>
  renderToStaticMarkup(
    <TooltipProvider>
      <ExchangeView
        exchange={made}
        rows={known}
        canWrite
        onInspect={nothing}
        onAskAgain={nothing}
        onRemove={nothing}
      />
    </TooltipProvider>,
  );

describe("a question and its answer", () => {
  it("cites the facts as marks that open them, and folds the trace behind one line", () => {
    const markup = shown(exchange());
    expect(markup).toContain('aria-label="Sandra (1): open this fact"');
    expect(words(markup)).toContain("How it was found: 1 anchor routed, 1 fact recalled, 860 ms");
    expect(words(markup)).not.toContain("competitor");
    expect(words(markup)).toContain("palimpsest-6m@0a1b2c3d on wasm");
  });

  it("says where a question ended that found nothing", () => {
    const made = exchange({
      text: "Not in memory.",
      notInMemory: true,
      cited: [],
      recalled: [],
      route: { question: "", anchors: [], facts: [] },
    });
    expect(words(shown(made))).toContain(
      "Nothing in memory comes near this question. Ask with words of the text: the memory finds sentences and does not summarise. No sentence was found. No stored sentence",
    );
  });

  it("lists the nearest sentences of a question that nothing answers", () => {
    const asked = [part({ text: "", cited: [], verdict: "not in memory", probability: null })];
    const route = { question: "", anchors: [], facts: [recalledFact().id], far: true };
    const made = exchange({ text: "", notInMemory: true, cited: [], route, asked });
    expect(words(shown(made))).toContain(
      "Nothing in memory comes near this question. These sentences come nearest: Sandra went to the hallway.",
    );
    expect(words(shown(made))).not.toContain("No sentence was found");
  });

  const part = (change: Partial<PartAnswer> = {}): PartAnswer => ({
    question: "Where is Sandra?",
    text: "hallway",
    cited: ["Sandra (1)"],
    verdict: "supported",
    probability: 0.991,
    evidence: [recalledFact().id],
    unmet: [],
    ...change,
  });
  const asked = (...parts: PartAnswer[]): string => words(shown(exchange({ asked: parts })));

  const best = { id: recalledFact().id, span: null };

  it("shows the best sentence as the answer, with the words that answer marked, and no probability", () => {
    const markup = shown(exchange({ asked: [part({ best: { ...best, span: [19, 26] } })] }));
    expect(markup).toMatch(/Sandra went to the <mark[^>]*>hallway<\/mark>\./);
    expect(words(markup)).not.toContain("probability");
    // It is not listed again among the other sentences.
    expect(words(markup)).not.toContain("Sandra went to the hallway.");
  });

  it("shows the best sentence where the model has no answer, and does not say that an answer is missing", () => {
    const said = asked(part({ text: "moon", verdict: "unsupported", cited: [], probability: 0.4, best }));
    expect(said).toContain("Sandra went to the hallway. Sandra (1)");
    expect(said).not.toContain("No sentence was");
    expect(said).not.toContain("moon");
  });

  it("reports the names and numbers that no stored sentence has if no words are marked", () => {
    const unmet = [
      { word: "tombola", stored: 0 },
      { word: "lisbon", stored: 0 },
      { word: "1871", stored: 0 },
      { word: "porto", stored: 2 },
    ];
    const question = "Who won the tombola of Lisbon and Porto in 1871?";
    const note =
      "Sandra went to the hallway. Sandra (1) No stored sentence has “lisbon”, “1871”. This may not be the answer: it is the sentence that comes nearest.";
    expect(asked(part({ question, best, unmet }))).toContain(note);
    const span: [number, number] = [19, 26];
    expect(asked(part({ question, best: { ...best, span }, unmet }))).not.toContain("No stored sentence");
  });

  it("says if the first sentence probably does not answer, and if one of the five probably does", () => {
    const unsure = { verdict: "unsupported", text: "", cited: [], best } as const;
    const nearest = "This may not be the answer: it is the sentence that comes nearest.";
    const among = "One of these sentences probably has the answer, but it need not be the first.";
    expect(asked(part({ ...unsure, shares: [0.3, 0.1, 0.02, 0.02, 0.02, 0.4] }))).toContain(nearest);
    expect(asked(part({ ...unsure, shares: [0.3, 0.1, 0.1, 0.05, 0.05] }))).toContain(among);
    const likely = asked(part({ ...unsure, shares: [0.5, 0.1] }));
    expect(likely).not.toContain(among);
    expect(likely).not.toContain(nearest);
    expect(asked(part({ best: { ...best, span: [19, 26] }, shares: [0.2] }))).not.toContain(nearest);
  });

  it("says that the model says what no single sentence has", () => {
    expect(asked(part())).toContain(
      "The model says: hallway Sandra (1) Sandra went to the hallway. Sandra (1)",
    );
  });

  it("marks in the headline what rests on an inexact sentence", () => {
    expect(asked(part({ verdict: "inexact" }))).toContain(
      "hallway Sandra (1) rests on a sentence that did not come back exactly",
    );
  });

  it("answers a question in two parts in two", () => {
    const said = asked(
      part(),
      part({ question: "Who is Mary?", verdict: "unsupported", probability: null, best }),
    );
    expect(said).toContain("Where is Sandra? The model says: hallway");
    expect(said).toContain("Who is Mary? Sandra went to the hallway.");
  });

  it("marks a citation whose fact was deleted since, but not before the memory was read", () => {
    const gone = new Map([...rows].slice(1));
    expect(shown(exchange(), gone)).toContain('aria-label="Sandra (1), deleted since; show in the trace"');
    expect(words(shown(exchange(), gone))).toContain("Sandra (1) has been deleted since. Ask again");
    expect(words(shown(exchange(), null))).not.toContain("deleted");
    // A notebook that came without its memory: nobody deleted anything.
    expect(words(shown(exchange(), new Map()))).toContain("is empty in this browser now: import it");
    expect(words(shown(exchange(), new Map()))).not.toContain("deleted since. Ask again");
  });

  it("reports the deletion of a sentence whose words were cleared", () => {
    const gone = new Map([...rows].slice(1));
    const cleared = { recalled: [recalledFact({ text: "" })], asked: [part({ best })] };
    expect(words(shown(exchange(cleared), gone))).toContain(
      "deleted since Sandra (1) Sandra (1) has been deleted since.",
    );
  });

  it("shows neither another sentence nor an old mark if words were cleared and the fact was changed", () => {
    const marked = part({ best: { ...best, span: [19, 26] } });
    const cleared = exchange({ recalled: [recalledFact({ text: "", changed: true })], asked: [marked] });
    expect(words(shown(cleared))).toContain("changed since; ask again Sandra (1)");
    expect(shown(cleared)).not.toContain("<mark");
  });

  it("shows what a model says as text", () => {
    expect(shown(exchange({ text: "<script>x</script>" }))).toContain("&lt;script&gt;x");
  });
});

describe("routing table", () => {
  it("gives ranks, scores and the verdict of what was kept and what was cut", () => {
    const anchors = [
      anchorRow(),
      anchorRow({
        anchor: "Mary",
        kept: false,
        why: "cut: below 0.6 of the best",
        denseRank: null,
        denseScore: null,
      }),
    ];
    const text = words(renderToStaticMarkup(<RoutingTable route={{ question: "", anchors, facts: [] }} />));
    expect(text).toContain("Sandra 1 · 0.82 1 · 4.10 32.8 kept: verbatim anchor in the question");
    expect(text).toContain("Mary – 1 · 4.10 32.8 cut: below 0.6 of the best");
  });

  it("folds the many that were cut", () => {
    const cut = Array.from({ length: 20 }, (_, i) => anchorRow({ anchor: `a${i}`, kept: false }));
    const text = words(
      renderToStaticMarkup(<RoutingTable route={{ question: "", anchors: cut, facts: [] }} />),
    );
    expect(text).toContain("Show 14 more anchors that were cut");
    expect(text).not.toContain("not listed");
  });

  it("says how many more were weighed than the answer lists", () => {
    const route = { question: "", anchors: [anchorRow()], more: 4321, facts: [] };
    const text = words(renderToStaticMarkup(<RoutingTable route={route} />));
    expect(text).toContain("and 4,321 more anchors with lower scores, cut and not listed.");
  });

  it("of ranked facts has the best fact of each anchor, and no columns of cosines and fused ranks", () => {
    const anchors = [anchorRow({ denseRank: null, denseScore: null, why: "has one of the best sentences" })];
    const text = words(
      renderToStaticMarkup(<RoutingTable route={{ question: "", anchors, facts: [], ranked: [] }} />),
    );
    expect(text).toContain("Anchor Best fact Verdict Sandra 1 · 4.10 kept: has one of the best sentences");
  });

  it("leaves the cosines out if no anchor was ranked by them", () => {
    const anchors = [anchorRow({ denseRank: null, denseScore: null })];
    const text = words(renderToStaticMarkup(<RoutingTable route={{ question: "", anchors, facts: [] }} />));
    expect(text).toContain("Anchor Lexical Fused ×10³ Verdict Sandra 1 · 4.10 32.8");
  });
});

describe("why facts were chosen", () => {
  const parts: [string, number][] = [
    ["words in common", 0.9],
    ["asks where, has a place", 0.45],
    ["very short", -0.05],
    ["length", 0.02],
  ];
  const [part] = answerOf({}).asked as [PartAnswer];
  const why = (count: number, of: Partial<PartAnswer> = {}): string => {
    const recalled = Array.from({ length: count }, (_, i) =>
      recalledFact({ id: `aaaaaaaaaaaaaaaa:${i}` as FactId, key: `Sandra (${i + 1})` }),
    );
    const facts = recalled.map(({ id }) => id);
    const ranked = facts.map(() => ({ score: 1.32, parts }));
    return renderToStaticMarkup(
      <WhyThese
        route={{ question: "", anchors: [], facts, ranked }}
        recalled={recalled}
        asked={[{ ...part, evidence: facts.toReversed(), ...of }]}
      />,
    );
  };

  it("has the score of a fact and the features that added most, as bars", () => {
    expect(words(why(1))).toContain(
      "Sandra (1) 1.32 +0.90 words in common +0.45 asks where, has a place −0.05 very short",
    );
    expect(why(1)).not.toContain("length");
    expect(why(1)).toContain("width:100%");
    expect(why(1)).toContain("width:50%");
  });

  it("has the reader's probability if the reader ordered them", () => {
    expect(words(why(2, { shares: [0.62, 0.07] }))).toContain("Sandra (2) 1.32 62 % +0.90");
    expect(words(why(2))).not.toContain("Reader");
  });

  it("has the first five facts as they are shown", () => {
    expect(words(why(6))).toContain("Sandra (6)");
    expect(words(why(6))).not.toContain("Sandra (1)");
    // Only the second was read.
    expect(words(why(2, { evidence: ["aaaaaaaaaaaaaaaa:1" as FactId] }))).toMatch(
      /Sandra \(2\).*Sandra \(1\)/,
    );
  });
});

describe("recalled facts", () => {
  const markup = (fact = recalledFact()): string =>
    renderToStaticMarkup(
      <RecalledFacts
        recalled={[fact]}
        cited={new Set(["Sandra (1)"])}
        rows={rows}
        settings={answerOf().settings}
        lit={null}
        onInspect={nothing}
      />,
    );

  it("report the deletion of one whose words were cleared once", () => {
    const gone = recalledFact({ id: "x:1" as FactId, text: "" });
    expect(words(markup(gone))).toContain("cited deleted since");
  });

  it("show similarity, gate, layer, and whether the words are those that were stored", () => {
    expect(words(markup())).toContain(
      "Sandra (1) layer 2 0.980 gate open cited Sandra went to the hallway. as stored",
    );
    expect(markup()).toContain('aria-label="similarity 0.980, threshold θ 0.6"');
    expect(words(markup(recalledFact({ text: "Sandra went home.", exact: false })))).toContain(
      "differs from the stored sentence",
    );
  });

  it("open to the parts that a long fact was joined from, each with its own gate", () => {
    const { read, layer } = recalledFact();
    const shut = { ...read, similarity: 0.41, gateOpen: false, openPositions: [] };
    const parts = [
      { part: 1, layer, tokens: [1], text: "Sandra went", read },
      { part: 3, layer, tokens: [2], text: " to the hallway.", read: shut },
    ];
    const said = words(markup(recalledFact({ read: shut, parts })));
    expect(said).toContain("joined from 2 parts, 1 gate shut");
    expect(said).toContain("Sandra (1) Sandra went layer 2 0.980 gate open");
    expect(said).toContain("Sandra (1.3) to the hallway. layer 2 0.410 gate closed");
    expect(words(markup())).not.toContain("joined from");
  });

  it("name the part of another fact that came nearest", () => {
    const fact = recalledFact();
    const { id } = fact;
    const nearest = (competitors: typeof fact.read.competitors): string =>
      words(renderToStaticMarkup(<NearestCompetitor read={{ competitors }} own={id} rows={rows} />));
    const own = [
      { id, part: 2, similarity: 0.97, weight: 0.9 },
      { id, similarity: 0.5, weight: 0.1 },
    ];
    expect(nearest(own)).toBe("the strongest keys are all this fact’s own");
    expect(nearest(own.slice(0, 1))).toBe("no competitor at this layer");
    expect(nearest(fact.read.competitors)).toBe("nearest competitor Sandra (4) at 0.550");
    const gone = [...own, { id: "x:1" as FactId, similarity: 0.4, weight: 0 }];
    expect(nearest(gone)).toBe("nearest competitor a fact that was deleted since at 0.400");
  });

  it("do not pass off as memory what the model said behind a closed gate", () => {
    const shut = recalledFact({ read: { ...recalledFact().read, gateOpen: false, openPositions: [] } });
    expect(words(markup(shut))).toContain("gate closed");
    expect(words(markup(shut))).toContain("Nothing was injected, and this text was not used");
  });
});

describe("question box", () => {
  it("asks nothing while it is empty or busy, and says why", () => {
    const box = (question: string, busy: boolean): string =>
      renderToStaticMarkup(
        <QuestionBox
          question={question}
          onQuestion={nothing}
          onAsk={nothing}
          busy={busy}
          disabled={false}
          tools={null}
        />,
      );
    expect(box(" ", false)).toMatch(/<button[^>]*disabled=""[^>]*>Ask/);
    expect(box("Where is Mary?", true)).toMatch(/<button[^>]*disabled=""[^>]*>Ask/);
    expect(box("Where is Mary?", true)).toContain("One question at a time");
    expect(box("Where is Mary?", false)).not.toContain("One question at a time");
    expect(box("Where is Mary?", false)).not.toContain("disabled");
  });
});

it("a question shows that facts are recalled, with the first of them, until the model speaks", () => {
  const said = (text: string, recalled?: readonly string[]): string =>
    words(renderToStaticMarkup(<Coming question="Who?" text={text} {...(recalled && { recalled })} />));
  expect(said("", ["Mary left.", "John stayed."])).toBe("Who? Recalling Mary left. John stayed.");
  expect(said("")).toBe("Who? Recalling");
  expect(said("Mary")).toBe("Who? Answer, not yet checked: Mary");
});
