/** @file Words for questions and answers in many languages: names of columns, and labels before a line. */

const QUESTION =
  "questions?|ask|query|queries|prompts?|fragen?|preguntas?|domand[ae]|perguntas?|vragen|vraag|pytani[ea]|вопросы?|" +
  "питання|fr[åa]g(?:a|or)|sp[øo]rgsmål|spørsmål|kysymy(?:s|kset)|soru(?:lar)?|otázk[ay]|kérdés(?:ek)?|întreb(?:are|ări)|" +
  "ερώτηση|ερωτήσεις|pertanyaan|câu hỏi|(?:ال)?سؤال|(?:ال)?[أا]سئلة|שאל(?:ה|ות)|प्रश्न|질문|문제|質問|問題|问题|問い";
const ANSWER =
  "answers?|responses?|antwort(?:en)?|lösung(?:en)?|solutions?|réponses?|reponses?|respuestas?|rispost[ae]|respostas?|" +
  "antwoord(?:en)?|odpowied[zź]i?|ответы?|відповід[ьі]|svar|vastau(?:s|kset)|cevap(?:lar)?|yanıt(?:lar)?|odpověď|" +
  "válasz(?:ok)?|răspuns(?:uri)?|απάντηση|απαντήσεις|jawaban|(?:câu )?trả lời|đáp án|(?:ال)?جواب|(?:ال)?[إا]جابة|" +
  "תשוב(?:ה|ות)|उत्तर|답변?|정답|答え|回答|答案|正解";
const EXPECTED =
  `(?:expected|gold|target|reference|erwartete)(?: (?:${ANSWER}))?|(?:correct|right|richtige|juiste|model|правильный) (?:${ANSWER})|` +
  "(?:réponse|respuesta|risposta|resposta) (?:correcte?|correcta|corretta|correta|attendue|esperada)|" +
  "answer key|erwartet|attendue?|esperad[ao]|attes[ao]";
const QUESTIONS = `${QUESTION}|input|instruction|front`;
const ANSWERS = `${EXPECTED}|${ANSWER}|correct|right|label|output|back`;

const exact = (names: string): RegExp => new RegExp(`^(?:${names})$`, "u");
const holds = (names: string): RegExp => new RegExp(`(?<!\\p{L})(?:${names})(?!\\p{L})`, "u");
/** Best first: the expected answer before "answer", which may be that of a model. */
const NAMES = {
  question: [exact(`${QUESTIONS}|q`), holds(QUESTION)],
  answer: [exact(EXPECTED), exact(`${ANSWERS}|a`), holds(`expected|gold|target|correct|${ANSWER}`)],
  needs: [
    exact("needs?|needed|sentences?|evidence|support|belege?|beleg|preuves?|sätze|satz"),
    holds("needs?|needed|sentences?|evidence"),
  ],
} as const;

/** The column that a name stands for: first one with exactly a known name, then one whose name holds it; -1 if none. */
export function placeOf(names: readonly string[], kind: keyof typeof NAMES): number {
  const plain = names.map((name) =>
    name.length > LONGEST_NAME || ASKS.test(name)
      ? ""
      : name
          .trim()
          .replace(/(?<=\p{Ll})(?=\p{Lu})|[_-]/gu, " ")
          .toLowerCase(),
  );
  const places = NAMES[kind].map((pattern) => plain.findIndex((name) => pattern.test(name)));
  return places.find((place) => place >= 0) ?? -1;
}

const LONGEST_NAME = 60;

/** The columns that hold the options of a question: "Choices", or several such as "Answer 1", "Option A" or "A". */
export function optionNames(names: readonly string[]): readonly string[] {
  const found = names.filter((name) => OPTION.test(name.trim().toLowerCase()));
  return found.length > 1 || /^\s*(?:options|choices)\s*$/i.test(found[0] ?? "") ? found : [];
}
const OPTION = new RegExp(
  `^(?:options|choices|[a-h]|(?:${ANSWER}|options?|choices?)\\s?[#(]?(?:\\d|[a-h])\\)?)$`,
  "u",
);

/** A name with a colon, or a number, behind it: "Answer 2:", "Correct answer –", "Q3)"; a noun needs neither if it is alone. */
const label = (names: string, nouns: string, letters: string): RegExp =>
  new RegExp(
    `^(?:(?:${names})(?:\\s?\\(s\\))?\\s{0,3}#?\\d{0,4}(?:\\s?\\([^()]{0,20}\\))?\\s{0,3}[:：]|(?:${nouns})(?:\\s\\d{1,4})?(?:\\s[-–—]\\s|[.)]\\s|$)` +
      `|(?:${letters})(?:\\s?\\d{0,4}\\s?[:：]|\\d{1,4}[.)]))\\s*`,
    "iu",
  );
export const QUESTION_LABEL = label(QUESTIONS, QUESTION, "q|問|问");
export const ANSWER_LABEL = label(`${ANSWERS}|ans|sol`, `${EXPECTED}|${ANSWER}|ans`, "a|r|答");

/** A mark that ends a question. The Greek one is U+037E here, see `withGreekMarks`. */
export const ASKS = /[?？؟\u037e]/;
export const ASKED = /[?？؟\u037e][?!]{0,3}["'”’»」)\]]{0,4}$/;

/** Greek asks with a semicolon, behind which only a space, a quotation mark or the semicolon of a table comes. */
export const withGreekMarks = (text: string): string =>
  text.replace(/(?<=\p{Script=Greek}["»”]?)(?<!ερώτηση|ερωτήσεις);(?=[\s,;»”"]|$)/giu, "\u037e");
