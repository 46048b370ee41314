/**
 * Makes the schemas of `src/api` smaller for browsers: the descriptions of fields, which only the API description
 * shows, are left out, and calls that build a schema are marked, so that the bundler leaves out those that nobody reads.
 */

/** Strings, templates, comments and regular expressions: a bracket in them is none. */
const opaque =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;
const token = new RegExp(`(?<opaque>${opaque.source})|(?<name>[A-Za-z_$][\\w$.]*)|[()[\\]{},]`, "g");
/** Builds a schema and does nothing else. */
const builder = /^(?:named|described|field|reader|v\.(?!parse|assert|safe|is\b)\w+)$/;
const pure = "/* @__PURE__ */ ";

/** @returns the same schemas without descriptions; a source that is not understood stays as it is */
export function slimSchemas(source: string): string {
  const tokens = [...source.matchAll(token)].filter(
    ({ groups }) => groups?.opaque === undefined || !isComment(groups.opaque),
  );
  const edits: { at: number; to: number; text: string }[] = [];
  const open: { described: boolean; comma?: number }[] = [];
  for (const [index, { 0: word, index: at, groups }] of tokens.entries()) {
    const before = tokens[index - 1];
    const called =
      before?.groups?.name !== undefined && before.index + before[0].length === at ? before[0] : "";
    const inner = open.at(-1);
    if (word === "(" || word === "[" || word === "{") {
      open.push({ described: word === "(" && called === "described" });
    } else if (word === ")" || word === "]" || word === "}") {
      if (inner?.described && inner.comma !== undefined) edits.push({ at: inner.comma, to: at, text: "" });
      open.pop();
    } else if (word === "," && inner?.described) {
      inner.comma ??= at;
    } else if (groups?.name !== undefined && builder.test(word) && source[at + word.length] === "(") {
      if (!/\bfunction $/.test(source.slice(Math.max(0, at - 9), at)))
        edits.push(
          word === "described" ? { at, to: at + word.length, text: "" } : { at, to: at, text: pure },
        );
    }
  }
  if (open.length > 0) return source;
  // An edit inside of one that removes more has nothing left to mark.
  const kept = edits.sort((a, b) => a.at - b.at || b.to - a.to);
  let done = 0;
  let slim = "";
  for (const { at, to, text } of kept) {
    if (at < done) continue;
    slim += source.slice(done, at) + text;
    done = to;
  }
  return slim + source.slice(done);
}

const isComment = (text: string) => text.startsWith("//") || text.startsWith("/*");
