/** The part of papaparse that is used. Its published types need those of Node. */
declare module "papaparse" {
  const Papa: {
    parse(
      text: string,
      options: { readonly delimiter: string; readonly skipEmptyLines: "greedy" },
    ): {
      readonly data: string[][];
      readonly errors: readonly { readonly type: string; readonly code: string }[];
    };
  };
  export { Papa as default };
}
