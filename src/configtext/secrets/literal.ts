/** The text that every match of an expression contains, by which most texts need no matching. */

/** @returns the longest literal part that an expression in the syntax of RE2 requires; empty if none is sure */
export function requiredLiteral(pattern: string): string {
  // Other flags, and quoting, change what characters mean.
  if (/\(\?[a-zA-Z-]*i|\\[QE]/.test(pattern)) return "";
  const pieces = piecesOf(pattern);
  if (pieces === undefined) return "";
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "");
}

const charClass = /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y;
const repetition = /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y;
/** Escapes of more than one character that stand for another one, or for several. */
const longEscape =
  /\\(?:x\{[^}]*\}|x[0-9A-Fa-f]{2}|u\{[^}]*\}|u[0-9A-Fa-f]{4}|[pP](?:\{[^}]*\}|.)|[0-7]{1,3}|[a-zA-Z0-9])/uy;

/** Literal parts at the top of the expression; undefined if it has alternatives there, or is not understood. */
function piecesOf(pattern: string): string[] | undefined {
  const pieces: string[] = [];
  let piece: string[] = [];
  let depth = 0;
  const end = () => {
    if (depth === 0) pieces.push(piece.join(""));
    piece = [];
  };
  const taken = (expression: RegExp, at: number): RegExpExecArray | null => {
    expression.lastIndex = at;
    return expression.exec(pattern);
  };
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    const repeated = taken(repetition, at);
    if (repeated !== null) {
      if (/^[*?]/.test(repeated[0]) || Number(repeated[1] ?? 1) === 0) piece.pop();
      end();
      at += repeated[0].length;
      continue;
    }
    const skipped = char === "[" ? taken(charClass, at) : char === "\\" ? taken(longEscape, at) : null;
    if (char === "[" && skipped === null) return undefined;
    if (skipped !== null || char === "." || char === "^" || char === "$") {
      end();
      at += skipped?.[0].length ?? 1;
      continue;
    }
    if (char === "|" && depth === 0) return undefined;
    if (char === "(" || char === ")") {
      end();
      depth += char === "(" ? 1 : -1;
      piece = [];
      at++;
      continue;
    }
    const escaped = char === "\\" ? String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0) : char;
    if (depth === 0) piece.push(escaped);
    at += char === "\\" ? 1 + escaped.length : char.length;
  }
  end();
  return depth === 0 ? pieces : undefined;
}
