/** Parses statements and the text between them. */

import { isBlank, limitError } from "../../python/index.ts";
import type { Options } from "../options.ts";
import { misplacedTag } from "./hints.ts";
import type { Expr, NodeOf, Signature, Statement, Target } from "./nodes.ts";
import { CONSTANTS, createExpressions } from "./parse-expression.ts";
import { listed } from "./parse-postfix.ts";
import { describe, type TokenStream } from "./tokens.ts";

/** @throws TemplateError `TemplateSyntax`. */
export function parseTemplate(stream: TokenStream, options: Options, maxDepth: number): NodeOf<"template"> {
  const { expression, tuple, filters } = createExpressions(stream, maxDepth);
  const openTags: { readonly name: string; readonly at: number }[] = [];
  const awaited: (readonly string[])[] = [];

  const failTag = (name: string | undefined, ends: readonly (readonly string[])[], at: number): never => {
    const message = misplacedTag(name, ends, tags.keys());
    const innermost = openTags.at(-1);
    if (innermost === undefined) return stream.fail(message, at);
    const { line } = stream.source.place(innermost.at);
    const closes = `The innermost block that needs to be closed is '${innermost.name}' of line ${line}.`;
    // At the end of the template, report the position of the open block instead.
    return stream.fail(`${message} ${closes}`, name === undefined ? innermost.at : at);
  };

  const tagEnds = (): boolean => stream.isType("block_end");

  /** Parses statements up to one of the end tags, whose name stays the current token. */
  const bodyUntil = (ends: readonly string[]): readonly Statement[] => {
    stream.skip(":");
    stream.expectType("block_end");
    if (awaited.length >= maxDepth) throw limitError(`blocks nested deeper than ${maxDepth} levels`);
    awaited.push(ends);
    const body = statements(ends);
    awaited.pop();
    if (stream.isType("eof")) failTag(undefined, [...awaited, ends], stream.current.at);
    return body;
  };

  const bodyTo = (end: string): readonly Statement[] => {
    const body = bodyUntil([end]);
    stream.next();
    return body;
  };

  const statements = (ends: readonly string[] | undefined): readonly Statement[] => {
    const body: Statement[] = [];
    let output: (NodeOf<"text"> | Expr)[] = [];
    const flush = (): void => {
      const [first] = output;
      if (first !== undefined) body.push({ kind: "output", items: output, at: first.at });
      output = [];
    };
    while (!stream.isType("eof")) {
      const token = stream.current;
      if (token.type === "data") {
        output.push({ kind: "text", text: token.text, at: token.at });
        stream.next();
      } else if (token.type === "variable_begin") {
        stream.next();
        output.push(tuple());
        stream.expectType("variable_end");
      } else {
        flush();
        stream.expectType("block_begin");
        const name = stream.current;
        if (ends !== undefined && name.type === "name" && ends.includes(name.text)) return body;
        body.push(statement());
        stream.expectType("block_end");
      }
    }
    flush();
    return body;
  };

  const statement = (): Statement => {
    const token = stream.current;
    if (token.type !== "name") stream.fail("tag name expected", token.at);
    const parse = tags.get(token.text);
    if (parse === undefined) return failTag(token.text, awaited, token.at);
    openTags.push({ name: token.text, at: token.at });
    stream.next();
    const result = parse(token.at);
    openTags.pop();
    return result;
  };

  const nameTarget = (): NodeOf<"name"> => {
    const { text, at } = stream.expectType("name");
    return assignable({ kind: "name", name: text, mode: "store", at });
  };

  const assignable = (node: NodeOf<"name">): NodeOf<"name"> => {
    if (CONSTANTS.has(node.name)) stream.fail("can't assign to 'name'", node.at);
    return node;
  };

  const toTarget = (node: Expr, mode: "store" | "param"): Target => {
    if (node.kind === "name") return assignable({ ...node, mode });
    if (node.kind !== "tuple") return stream.fail(`can't assign to '${node.kind}'`, node.at);
    return { ...node, items: node.items.map((item) => toTarget(item, mode)) };
  };

  const target = (mode: "store" | "param", endName?: string): Target =>
    toTarget(tuple(endName === undefined ? { simple: true } : { simple: true, endName }), mode);

  const setTarget = (): Target => {
    if (!stream.follows(".")) return target("store");
    const name = stream.expectType("name");
    stream.next();
    return { kind: "nsref", name: name.text, attr: stream.expectType("name").text, at: name.at };
  };

  const signature = (): Signature => {
    const params: NodeOf<"name">[] = [];
    const defaults: Expr[] = [];
    stream.expect("(");
    const parameter = (): void => {
      const param = nameTarget();
      if (params.some(({ name }) => name === param.name))
        stream.fail(`duplicate argument '${param.name}' in function definition`, param.at);
      if (stream.skip("=")) defaults.push(expression());
      else if (defaults.length > 0) stream.fail("non-default argument follows default argument");
      params.push({ ...param, mode: "param" });
    };
    listed(stream, () => stream.is(")"), parameter);
    stream.expect(")");
    return { params, defaults };
  };

  const set = (at: number): Statement => {
    const to = setTarget();
    if (stream.skip("=")) return { kind: "set", target: to, value: tuple(), at };
    const filter = filters(undefined);
    return { kind: "setblock", target: to, filter, body: bodyTo("endset"), at };
  };

  const forLoop = (at: number): Statement => {
    const to = target("store", "in");
    stream.expect("in");
    const iter = tuple({ noCondition: true, endName: "recursive" });
    const test = stream.skip("if") ? expression() : undefined;
    const recursive = stream.skip("recursive");
    const body = bodyUntil(["endfor", "else"]);
    const otherwise = stream.next().text === "else" ? bodyTo("endfor") : [];
    return { kind: "for", target: to, iter, body, otherwise, test, recursive, at };
  };

  const branch = (at: number): Pick<NodeOf<"if">, "test" | "body" | "at"> => ({
    test: tuple({ noCondition: true }),
    body: bodyUntil(["elif", "else", "endif"]),
    at,
  });

  const condition = (at: number): NodeOf<"if"> => {
    const first = branch(at);
    const elifs: NodeOf<"if">[] = [];
    for (;;) {
      const { text, at: next } = stream.next();
      if (text === "elif") elifs.push({ kind: "if", ...branch(next), elifs: [], otherwise: [] });
      else return { kind: "if", ...first, elifs, otherwise: text === "else" ? bodyTo("endif") : [] };
    }
  };

  const withBlock = (at: number): Statement => {
    const targets: Target[] = [];
    const values: Expr[] = [];
    listed(stream, tagEnds, () => {
      targets.push(target("param"));
      stream.expect("=");
      values.push(expression());
    });
    return { kind: "with", targets, values, body: bodyTo("endwith"), at };
  };

  const block = (at: number): Statement => {
    const name = stream.expectType("name").text;
    const scoped = stream.skip("scoped");
    const required = stream.skip("required");
    if (stream.is("-")) {
      stream.fail(
        "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.",
      );
    }
    const body = bodyTo("endblock");
    const node: NodeOf<"block"> = { kind: "block", name, scoped, required, body, at };
    if (required && !body.every(isBlankOutput)) {
      stream.fail("Required blocks can only contain comments or whitespace", at);
    }
    stream.skip(name);
    return node;
  };

  /** Parses `with context` or `without context`, if present. */
  const contextChoice = (): boolean | undefined => {
    const choice = stream.is("with") || stream.is("without") ? stream.is("with") : undefined;
    if (choice === undefined || !stream.follows("context")) return undefined;
    stream.next();
    stream.next();
    return choice;
  };

  const include = (at: number): Statement => {
    const template = expression();
    const ignoreMissing = stream.is("ignore") && stream.follows("missing");
    if (ignoreMissing) {
      stream.next();
      stream.next();
    }
    return { kind: "include", template, ignoreMissing, withContext: contextChoice() ?? true, at };
  };

  const importModule = (at: number): Statement => {
    const template = expression();
    stream.expect("as");
    const { name } = nameTarget();
    return { kind: "import", template, target: name, withContext: contextChoice() ?? false, at };
  };

  const fromImport = (at: number): Statement => {
    const template = expression();
    stream.expect("import");
    const names: [string, string][] = [];
    let withContext: boolean | undefined;
    for (;;) {
      if (names.length > 0) stream.expect(",");
      withContext = contextChoice();
      if (withContext !== undefined) break;
      const { name, at: nameAt } = nameTarget();
      if (name.startsWith("_")) stream.fail("names starting with an underline can not be imported", nameAt);
      names.push([name, stream.skip("as") ? nameTarget().name : name]);
      withContext = contextChoice();
      if (withContext !== undefined || !stream.is(",")) break;
    }
    return { kind: "from", template, names, withContext: withContext ?? false, at };
  };

  const callBlock = (at: number): Statement => {
    const callSignature = stream.is("(") ? signature() : { params: [], defaults: [] };
    const call = expression();
    if (call.kind !== "call") return stream.fail("expected call", at);
    return { kind: "callblock", call, ...callSignature, body: bodyTo("endcall"), at };
  };

  const filterBlock = (at: number): Statement => {
    const filter = filters(undefined, true);
    if (filter === undefined) return stream.fail(`expected a filter, got '${describe(stream.current)}'`, at);
    return { kind: "filterblock", body: bodyTo("endfilter"), filter, at };
  };

  const print = (at: number): Statement => {
    const items: Expr[] = [];
    listed(stream, tagEnds, () => items.push(expression()));
    return { kind: "output", items, at };
  };

  const macro = (at: number): Statement => {
    const { name } = nameTarget();
    return { kind: "macro", name, ...signature(), body: bodyTo("endmacro"), at };
  };

  const tags = new Map<string, (at: number) => Statement>([
    ["set", set],
    ["for", forLoop],
    ["if", condition],
    ["with", withBlock],
    ["block", block],
    ["include", include],
    ["import", importModule],
    ["from", fromImport],
    ["macro", macro],
    ["call", callBlock],
    ["filter", filterBlock],
    ["print", print],
    ["extends", (at) => ({ kind: "extends", template: expression(), at })],
    ["autoescape", (at) => ({ kind: "autoescape", value: expression(), body: bodyTo("endautoescape"), at })],
  ]);
  if (options.doTag) tags.set("do", (at) => ({ kind: "do", node: tuple(), at }));
  if (options.loopControls) {
    tags.set("break", (at) => ({ kind: "break", at }));
    tags.set("continue", (at) => ({ kind: "continue", at }));
  }

  return { kind: "template", body: statements(undefined), at: 0 };
}

function isBlankOutput(node: Statement): boolean {
  return (
    node.kind === "output" &&
    node.items.every((item) => item.kind === "text" && Array.from(item.text).every(isBlank))
  );
}
