/** Finds the first syntax error in a JSON text, and the lines of list items: the runtime reports neither. */

export interface Fault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Found {
  /** List name to the line of each item; the top-level list has the name "". */
  readonly lists: Map<string, number[]>;
  readonly fault?: { readonly at: number; readonly message: string };
}

const blank = /[ \t\r\n]*/y;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\0-\x1f]*)*"/y;

/** @returns the item lines of the top-level lists, or of the top-level value if it is a list */
export function jsonPlaces(text: string, depth: number): ReadonlyMap<string, readonly number[]> | Fault {
  const { lists, fault } = scan(text, depth);
  if (fault === undefined) return lists;
  const before = text.slice(0, fault.at);
  const line = before.split("\n").length;
  return { line, column: fault.at - (before.lastIndexOf("\n") + 1) + 1, message: fault.message };
}

/** Scans iteratively with an explicit stack. */
function scan(text: string, depth: number): Found {
  const lists = new Map<string, number[]>();
  const open: { close: "]" | "}"; name: string }[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  let line = 1;
  let counted = 0;
  let expects: "value" | "value or ]" | "key" | "key or }" | "next" = "value";
  let key = "";
  const bad = (message: string): Found => ({ lists, fault: { at, message } });
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const matched = pattern.exec(text)?.[0];
    if (matched !== undefined) at += matched.length;
    return matched;
  };
  const lineHere = () => {
    for (; counted < at; counted++) if (text.charCodeAt(counted) === 10) line++;
    return line;
  };
  for (;;) {
    take(blank);
    const sign = text[at];
    const top = open.at(-1);
    if (sign === undefined) return top || expects !== "next" ? bad("the text ends too early") : { lists };
    if (expects === "next") {
      if (top === undefined) return bad("there is data after the end");
      if (sign === top.close) {
        open.pop();
        at++;
      } else if (sign === ",") {
        at++;
        expects = top.close === "]" ? "value" : "key";
      } else return bad(`a comma or ${top.close} is expected here`);
    } else if (expects === "key" || expects === "key or }") {
      if (sign === "}" && expects === "key or }") {
        open.pop();
        at++;
        expects = "next";
        continue;
      }
      const name = take(string);
      if (name === undefined) return bad("a name in double quotes is expected here");
      take(blank);
      if (text[at] !== ":") return bad("a colon is expected here");
      at++;
      if (open.length === 1) key = String(JSON.parse(name));
      expects = "value";
    } else {
      if (sign === "]" && expects === "value or ]") {
        open.pop();
        at++;
        expects = "next";
        continue;
      }
      const inList =
        top?.close === "]" && (open.length === 1 || (open.length === 2 && open[0]?.close === "}"));
      if (inList) note(lists, top.name, lineHere());
      if (sign === "{" || sign === "[") {
        if (open.length >= depth) return bad(`it is nested deeper than ${depth} levels`);
        open.push({ close: sign === "{" ? "}" : "]", name: open.length === 0 ? "" : key });
        at++;
        expects = sign === "{" ? "key or }" : "value or ]";
      } else if (take(sign === '"' ? string : literal) === undefined)
        return bad(
          sign === '"'
            ? "a string is not closed, or contains a character that must be escaped"
            : "a value is expected here",
        );
      else expects = "next";
    }
  }
}

function note(lists: Map<string, number[]>, name: string, line: number): void {
  const lines = lists.get(name);
  if (lines) lines.push(line);
  else lists.set(name, [line]);
}
