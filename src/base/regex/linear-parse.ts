/**
 * Parses a JavaScript regular expression (flags `i`, `m`, `s` only) into an AST; rejects constructs that a linear-time
 * matcher cannot support.
 */

export type Node =
  | { readonly kind: "set"; readonly has: (code: number) => boolean }
  | { readonly kind: "assert"; readonly what: "start" | "end" | "word" | "notWord" }
  | { readonly kind: "all"; readonly nodes: readonly Node[] }
  | { readonly kind: "any"; readonly nodes: readonly Node[] }
  | { readonly kind: "repeat"; readonly node: Node; readonly least: number; readonly most: number };

type Test = (code: number) => boolean;

/** @throws SyntaxError for invalid expressions, and for look-around and back references */
export function parseLinear(source: string, { ignoreCase = false, dotAll = false } = {}): Node {
  let at = 0;
  const cased = (test: Test): Test => (ignoreCase ? eitherCase(test) : test);
  const single = (code: number): Test => cased(exactly(code));
  const asTest = (member: number | Test): Test => (typeof member === "number" ? single(member) : member);

  function alternatives(): Node {
    const nodes = [sequence()];
    while (source[at] === "|") {
      at++;
      nodes.push(sequence());
    }
    const [only] = nodes;
    return nodes.length === 1 && only !== undefined ? only : { kind: "any", nodes };
  }

  function sequence(): Node {
    const nodes: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") nodes.push(repeated(atom()));
    return { kind: "all", nodes };
  }

  function repeated(node: Node): Node {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at));
    if (match === null) return node;
    if (node.kind === "assert") throw new SyntaxError("nothing to repeat");
    at += match[0].length;
    if (source[at] === "?") at++;
    const [quantifier, from = "0", comma, to] = match;
    if (quantifier === "*") return { kind: "repeat", node, least: 0, most: Number.POSITIVE_INFINITY };
    if (quantifier === "+") return { kind: "repeat", node, least: 1, most: Number.POSITIVE_INFINITY };
    if (quantifier === "?") return { kind: "repeat", node, least: 0, most: 1 };
    const least = Number(from);
    const most = comma === "" ? least : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    return { kind: "repeat", node, least, most };
  }

  function atom(): Node {
    const char = source.charAt(at++);
    if (char === "(") return group();
    if (char === "[") return { kind: "set", has: charClass() };
    if (char === ".") return { kind: "set", has: dotAll ? () => true : (code) => !isLineEnd(code) };
    if (char === "^") return { kind: "assert", what: "start" };
    if (char === "$") return { kind: "assert", what: "end" };
    if (char === "\\") return escaped();
    if (char === "*" || char === "+" || char === "?") throw new SyntaxError("nothing to repeat");
    return { kind: "set", has: single(char.charCodeAt(0)) };
  }

  function group(): Node {
    if (source[at] === "?") {
      const name = /^\?(?::|<[A-Za-z_$][\w$]*>)/.exec(source.slice(at))?.[0];
      if (name === undefined) throw new SyntaxError("look-around");
      at += name.length;
    }
    const node = alternatives();
    if (source[at++] !== ")") throw new SyntaxError("a group is not closed");
    return node;
  }

  function escaped(): Node {
    const char = source[at];
    if (char === "b" || char === "B") {
      at++;
      return { kind: "assert", what: char === "b" ? "word" : "notWord" };
    }
    if (char !== undefined && /[1-9k]/.test(char)) throw new SyntaxError("back reference");
    return { kind: "set", has: escapedSet() };
  }

  /** After a backslash: a character class or a single character. */
  function escapedSet(): Test {
    const set = sets[source.charAt(at)];
    if (set !== undefined) {
      at++;
      return set;
    }
    return single(escapedCode());
  }

  function escapedCode(): number {
    const hex = /^(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(source.slice(at));
    if (hex !== null) {
      at += hex[0].length;
      return Number.parseInt(hex[1] ?? hex[2] ?? "0", 16);
    }
    const control = /^c([A-Za-z])/.exec(source.slice(at))?.[1];
    if (control !== undefined) {
      at += 2;
      return control.charCodeAt(0) & 31;
    }
    const char = source.charAt(at++);
    if (char === "") throw new SyntaxError("a backslash at the end");
    return controlEscapes[char] ?? char.charCodeAt(0);
  }

  function charClass(): Test {
    const negated = source[at] === "^";
    if (negated) at++;
    const tests: Test[] = [];
    while (source[at] !== "]") {
      if (at >= source.length) throw new SyntaxError("a class is not closed");
      const low = classMember();
      if (source[at] === "-" && source[at + 1] !== "]" && at + 1 < source.length) {
        at++;
        const high = classMember();
        if (typeof low === "number" && typeof high === "number") {
          if (high < low) throw new SyntaxError("a range is out of order");
          tests.push(cased((code) => code >= low && code <= high));
        } else tests.push(asTest(low), single(0x2d), asTest(high));
      } else tests.push(asTest(low));
    }
    at++;
    return (code) => tests.some((test) => test(code)) !== negated;
  }

  function classMember(): number | Test {
    const char = source.charAt(at++);
    if (char !== "\\") return char.charCodeAt(0);
    if (source[at] === "b") {
      at++;
      return 8;
    }
    const set = sets[source.charAt(at)];
    if (set === undefined) return escapedCode();
    at++;
    return set;
  }

  const tree = alternatives();
  if (at < source.length) throw new SyntaxError("a group is closed that was not opened");
  return tree;
}

const controlEscapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, "0": 0 };

const sets: Readonly<Record<string, Test>> = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
};

/** Case folding as by JavaScript's `i` flag, for letters that are one code unit in both cases. */
function eitherCase(test: Test): Test {
  return (code) => {
    if (test(code)) return true;
    const char = String.fromCharCode(code);
    return test(char.toLowerCase().charCodeAt(0)) || test(char.toUpperCase().charCodeAt(0));
  };
}

function exactly(expected: number): Test {
  return (code) => code === expected;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isWord(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}

export function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}
