/**
 * Makes the schemas of `src/api` smaller for browsers, which read what the service has checked, and send what it will
 * check: names and descriptions, which only the API description shows, are left out, and so are limits and their messages. Calls that build a schema are marked, so that the bundler leaves out those that nobody reads.
 */

/** Strings, templates, comments and regular expressions: a bracket in them is none. */
const opaque =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;
const token = new RegExp(`(?<opaque>${opaque.source})|(?<name>[A-Za-z_$][\\w$.]*)|[()[\\]{},]`, "g");
/** Builds a schema and does nothing else. */
const builder = /^(?:named|described|field|reader|v\.(?!parse|assert|safe|is\b)\w+)$/;
/** Asks more of a value than its kind: an argument of `v.pipe` after the first. */
const limit =
  /^v\.(?:check|description|forward|integer|isoTimestamp|(?:min|max)(?:Length|Value|Entries)|nonEmpty|rawCheck|regex|safeInteger|title|url)$/;
const pure = "/* @__PURE__ */ ";

interface Edit {
  readonly at: number;
  readonly to: number;
  readonly text: string;
}

interface Open {
  /** The function that is called; empty: no call. */
  readonly called: string;
  /** Where it begins. */
  readonly from: number;
  /** Its commas. */
  readonly commas: number[];
  /** The comma before it, if it is an argument after the first. */
  readonly after: number | undefined;
}

/** @returns the same schemas without descriptions and limits; a source that is not understood stays as it is */
export function slimSchemas(source: string): string {
  const tokens = [...source.matchAll(token)].filter(({ groups }) => !isComment(groups?.opaque ?? ""));
  const edits: Edit[] = [];
  const open: Open[] = [];
  for (const [index, { 0: word, index: at, groups }] of tokens.entries()) {
    const before = tokens[index - 1];
    const inner = open.at(-1);
    if (word === "(" || word === "[" || word === "{") {
      const isCall =
        word === "(" && before?.groups?.name !== undefined && before.index + before[0].length === at;
      const comma = tokens[index - 2];
      open.push({
        ...{
          called: isCall ? (before?.[0] ?? "") : "",
          from: isCall ? (before?.index ?? at) : at,
          commas: [],
        },
        after: isCall && comma?.[0] === "," ? comma.index : undefined,
      });
    } else if (word === ")" || word === "]" || word === "}") {
      const ended = open.pop();
      const [comma] = ended?.commas ?? [];
      if (ended?.called === "described" && comma !== undefined) edits.push({ at: comma, to: at, text: "" });
      // In brackets of their own, a schema has no comma behind it.
      if (ended?.called === "named" && before?.[0] === ",")
        edits.push({ at: before.index, to: at, text: "" });
      if (ended?.after !== undefined && limit.test(ended.called) && open.at(-1)?.called === "v.pipe")
        edits.push({ at: ended.after, to: at + 1, text: "" });
    } else if (word === ",") {
      if (inner?.called === "named" && inner.commas.length === 0)
        edits.push({ at: inner.from + inner.called.length + 1, to: at + 1, text: "" });
      inner?.commas.push(at);
    } else if (groups?.opaque !== undefined) {
      // A message, as the only or the last argument of a schema.
      const after = before?.[0] === "," ? before.index : at;
      if (/^["`](?:must|is) /.test(word) && /^v\.(?!literal)/.test(inner?.called ?? ""))
        edits.push({ at: after, to: at + word.length, text: "" });
    } else if (groups?.name !== undefined && builder.test(word) && source[at + word.length] === "(") {
      if (/\bfunction $/.test(source.slice(Math.max(0, at - 9), at))) continue;
      const only = word === "described" || word === "named";
      edits.push({ at, to: only ? at + word.length : at, text: only ? "" : pure });
    }
  }
  return open.length > 0 ? source : edited(source, edits);
}

/** An edit inside of one that removes more has nothing left to change. */
function edited(source: string, edits: readonly Edit[]): string {
  let done = 0;
  let text = "";
  for (const edit of edits.toSorted((a, b) => a.at - b.at || b.to - a.to)) {
    if (edit.at < done) continue;
    text += source.slice(done, edit.at) + edit.text;
    done = edit.to;
  }
  return text + source.slice(done);
}

/**
 * How a browser reads the answers of the service that it has come from, which makes them of these very records: as
 * objects, whatever is in them. What was meant for no browser stays out of its scripts with that.
 * @param source a module of `src/console/shapes`
 */
export function plainAnswers(source: string): string {
  return source.replace(/\breader\(\w+\)/g, "reader({ entries: {} })");
}

const isComment = (text: string) => text.startsWith("//") || text.startsWith("/*");
