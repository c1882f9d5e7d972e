/** @file Names of months in languages that write a full stop behind the day ("3. Oktober", "5. maj"). */

const LANGUAGES = ["de", "de-AT", "da", "nb", "cs", "sk", "sl", "hr", "fi", "et", "lv", "is", "hu", "pl"];

const MONTHS = new Set(
  LANGUAGES.flatMap((language) =>
    (["long", "short"] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { day: "numeric", month, timeZone: "UTC" });
      return Array.from({ length: 12 }, (_, i) => {
        const parts = format.formatToParts(Date.UTC(2000, i, 3));
        return parts.find(({ type }) => type === "month")!.value.replace(".", "");
      });
    }),
  ),
);

/** Whether a word is a month, in the case in which its language writes it. */
export const isMonth = (word: string): boolean => MONTHS.has(word) && !/^\d/.test(word);
