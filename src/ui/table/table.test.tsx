import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { arranged, nextSort, type Column, FirstOf, Table, type TableProps, toggled } from "./Table.tsx";
import { GridRow } from "./Grid.tsx";
import { PrintingContext } from "../controls/basics.tsx";

interface City {
  readonly name: string;
  readonly people: number;
}

const cities: readonly City[] = [
  { name: "Ulm", people: 126 },
  { name: "Bonn", people: 331 },
  { name: "Trier", people: 112 },
];
const byPeople = (a: City, b: City): number => a.people - b.people;
const columns: readonly Column<City>[] = [
  { id: "name", label: "City", names: true, cell: ({ name }) => name },
  { id: "people", label: "People", look: "number", cell: ({ people }) => people },
];
const parts = { has: ({ people }: City) => people > 300, draw: ({ name }: City) => `districts of ${name}` };
const words = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const page = (props: Partial<TableProps<City>> = {}): string =>
  renderToStaticMarkup(<Table caption="Cities" columns={columns} rows={cities} {...props} />);
const paper = (props: Partial<TableProps<City>> = {}): string =>
  renderToStaticMarkup(
    <PrintingContext value={true}>
      <Table caption="Cities" columns={columns} rows={cities} {...props} />
    </PrintingContext>,
  );

describe("the order of rows", () => {
  it("goes from ascending to descending to as they came", () => {
    const up = nextSort(null, "layer");
    const down = nextSort(up, "layer");
    expect([up, down, nextSort(down, "layer")]).toEqual([
      { column: "layer", descending: false },
      { column: "layer", descending: true },
      null,
    ]);
    expect(nextSort(down, "age")).toEqual({ column: "age", descending: false });
  });

  it("is that of the column, and leaves equal rows as they were both ways", () => {
    const rows = [...cities, { name: "Hürth", people: 112 }];
    const names = (descending: boolean): string[] =>
      arranged(rows, byPeople, { descending }).map(({ name }) => name);
    expect(names(false)).toEqual(["Trier", "Hürth", "Ulm", "Bonn"]);
    expect(names(true)).toEqual(["Bonn", "Ulm", "Trier", "Hürth"]);
    expect(arranged(rows, byPeople, null)).toBe(rows);
    expect(arranged(rows, undefined, { descending: true })).toBe(rows);
  });
});

describe("a set of values", () =>
  it("takes one in and out at a time", () => {
    expect(toggled(new Set([1, 2]), 2)).toEqual(new Set([1]));
    expect(toggled(new Set([1]), 2)).toEqual(new Set([1, 2]));
  }));

describe("a table", () => {
  it("has a caption, and heads for columns and rows", () => {
    const markup = page();
    expect(words(markup)).toBe("Cities City People Ulm 126 Bonn 331 Trier 112");
    expect(markup.match(/scope="row"/g)).toHaveLength(3);
    expect(markup).not.toContain("<button");
  });

  it("says what it is told where there are no rows", () => {
    expect(page({ rows: [], empty: "No city." })).toBe("No city.");
    expect(page({ rows: [] })).toBe("");
  });

  it("shows the first rows and how to see more; on paper more of them, and what is left out", () => {
    const limit = {
      first: 1,
      more: (shown: number, rest: number) => `${shown} shown, ${rest} to come`,
      print: { first: 2, rest: "one is left out" },
    };
    expect(words(page({ limit }))).toBe("Cities City People Ulm 126 1 shown, 2 to come");
    expect(words(paper({ limit }))).toBe("Cities City People Ulm 126 Bonn 331 one is left out");
  });

  it("opens a row that has parts at a press, and all of them on paper, where nothing can be pressed", () => {
    const closed = page({ parts });
    expect(closed.match(/aria-expanded="false"/g)).toHaveLength(1);
    expect(closed).not.toContain("districts");
    const printed = paper({ parts });
    expect(printed).not.toContain("<button");
    expect(words(printed)).toContain("Bonn 331 districts of Bonn Trier");
  });
});

describe("a row of a grid", () => {
  const row = (open: boolean, of: typeof parts | null): string =>
    renderToStaticMarkup(
      <GridRow
        row={cities[1]!}
        rowId="bonn"
        id="row-1"
        name="Bonn"
        position={1}
        top={44}
        height={44}
        columns={columns}
        selected={false}
        current={false}
        parts={of}
        open={open}
        measure={null}
        onPick={() => undefined}
        onToggle={() => undefined}
      />,
    );

  it("shows its parts below its cells while it is open", () => {
    expect(row(false, parts)).toContain('aria-expanded="false"');
    expect(words(row(false, parts))).toBe("Bonn 331");
    expect(words(row(true, parts))).toBe("Bonn 331 districts of Bonn");
    expect(row(true, parts)).toContain('aria-colspan="3"');
  });

  it("has nothing to open where it has no parts", () =>
    expect(row(false, null)).not.toContain("aria-expanded"));
});

describe("the first of a list", () =>
  it("is the whole list on paper where nothing else is said", () => {
    const list = (printing: boolean): string =>
      renderToStaticMarkup(
        <PrintingContext value={printing}>
          <FirstOf items={["a", "b", "c"]} first={2} more={(_, rest) => `${rest} more`}>
            {(shown) => shown.join(" ")}
          </FirstOf>
        </PrintingContext>,
      );
    expect(words(list(false))).toBe("a b 1 more");
    expect(words(list(true))).toBe("a b c");
  }));
