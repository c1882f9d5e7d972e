/** @file Small text formatting shared by prompts, messages and reports. */

/** The words of some lines, as a set. */
export const wordSet = (...lines: string[]): ReadonlySet<string> => new Set(lines.join(" ").split(/\s+/));

/** Replaces every {name} of `template` by its value. Throws when the template asks for a name that is not given. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`format: the template "${template}" asks for {${name}}, which is not given`);
    return value;
  });
}
