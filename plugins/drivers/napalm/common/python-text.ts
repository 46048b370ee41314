/** Formats lists as Python does, for fields in which NAPALM returns a list as text. */

/** A single text unchanged, several as a Python list literal. */
export function asOneText(texts: readonly string[]): string | undefined {
  if (texts.length < 2) return texts[0];
  return `[${texts.map(pythonText).join(", ")}]`;
}

function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}
