/** Lists as Python writes them, where NAPALM takes one for a text. */

/** One of them as it is, several as Python writes a list. */
export function asOneText(texts: readonly string[]): string | undefined {
  if (texts.length < 2) return texts[0];
  return `[${texts.map(pythonText).join(", ")}]`;
}

function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}
