/** The console's words stand in its scripts where they are shown; what a page reads in another way stays a member. */
import { readdirSync, readFileSync } from "node:fs";
import typescript from "typescript-5";
import { describe, expect, test } from "vitest";
import { templateWords } from "../../../src/console/text/templates.ts";
import { text } from "../../../src/console/text/text.ts";
import { consoleFiles } from "../../../src/runtime/pages/console-files.ts";
import { wordsInPlace } from "../../../src/runtime/pages/words-in-place.ts";

const texts = new Map([
  [
    "text.ts",
    `export const text = {
  nav: {
    jobs: "Jobs",
    keys: "Keys"
  },
  states: {
    held: "held",
    none: ""
  },
  many: (count) => \`\${count} jobs\`,
  unused: (count) => \`\${count} keys\`,
  sample: \`{
  name: "sw1",
    port: 22
}\`,
  other: textOfOther
};
`,
  ],
  ["other.ts", `export const textOfOther = {\n  title: "Say \\"yes\\"",\n  sign: { yes: "✓" }\n};\n`],
]);
const shownBy = (page: string) => {
  const files = wordsInPlace(
    texts,
    new Map([["page.tsx", `import { text } from "../text/text.ts";\n${page}`]]),
  );
  return { page: files.get("page.tsx")?.split("\n").slice(1).join("\n"), left: files };
};

describe("a page", () => {
  test.each([
    ["a = <h1>{text.nav.jobs}</h1>;", `a = <h1>{"Jobs"}</h1>;`],
    ["a = `${text.nav.keys}: ${text.many(2)}`;", 'a = `${"Keys"}: ${text.many(2)}`;'],
    ["a = [...text.nav.jobs, text.nav.jobs.length];", `a = [..."Jobs", "Jobs".length];`],
    ["a = text.other.title;", `a = "Say \\"yes\\"";`],
    ["const words = text.nav;\na = words.jobs;", `a = "Jobs";`],
    ["  const nav = text.nav;\na = nav[b] + nav.keys;", "  const nav = text.nav;\na = nav[b] + nav.keys;"],
    ["const many = text.many;\na = many(1);", "const many = text.many;\na = many(1);"],
    ["a = other.text.nav.jobs + context.nav;", "a = other.text.nav.jobs + context.nav;"],
    ["/** What it is. */ a = text.nav.jobs;\n", `/** What it is. */ a = "Jobs";\n`],
    ["// What it is.\n/**\n * It is *.\n */\na = text.nav.jobs;", `a = "Jobs";`],
    ["a = {\n  *all() {},\n};", "a = {\n  *all() {},\n};"],
  ])("%j shows %j", (page, shown) => expect(shownBy(page).page).toBe(shown));

  test.each([
    "const words = text.nav;\nconst a = (words: Words) => words.jobs;",
    "const words = text.nav;\nconst a = (b: B, words?: Words) => words.jobs;",
    "const words = text.nav;\nconst a = ({ words }: Given) => words.jobs;",
    "const a = (text) => text.nav.jobs;",
  ])("takes nothing of %j for words", (page) => expect(shownBy(page).page).toBe(page));

  test.each([
    ["text.states[a]", ["states"]],
    ["text.many(1) + text.nav.jobs", ["many"]],
    ["text.sample + text.other.sign[a]", ["sample", "other"]],
    ["f(text)", ["nav", "states", "many", "unused", "sample", "other"]],
    [`b.text + f("text") /* */ + { text: 1 }`, []],
  ])("that has %j leaves %j of the words", (page, members) => {
    const left = shownBy(`a = ${page};`).left;
    const script = left.get("text.ts") ?? "";
    expect([...script.matchAll(/^ {2}(\w+):(?! ")/gm)].map(([, name]) => name)).toEqual(
      members.includes("other") ? members : [...members, "other"],
    );
    // What is left is a script.
    new Function("textOfOther", script.replace("export const text =", "return"))({});
  });
});

test.each([
  'import { more, text } from "../text/text.ts";',
  'import { text as said } from "../text/text.ts";',
  'import * as said from "../text/text.ts";',
  'export { text } from "../text/text.ts";',
])("%s leaves all words where they are", (line) => {
  const files = wordsInPlace(texts, new Map([["page.tsx", `${line}\na = text.nav.jobs;\n`]]));
  expect(files.get("page.tsx")).toContain("text.nav.jobs");
  expect(files.get("text.ts")).toBe(texts.get("text.ts"));
});

const folder = new URL("../../../src/console/", import.meta.url);
const sources = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);
const isText = (name: string) => /^text[\\/]/.test(name);

/** Tokens of files, with words and ways to them in place of names, as scopes say what a name is. */
function meanings(files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const { SyntaxKind: kinds, ScriptTarget: targets } = typescript;
  const options = { noLib: true, noResolve: true, target: targets.Latest, jsx: typescript.JsxEmit.Preserve };
  const program = typescript.createProgram([...files.keys()], options, {
    ...typescript.createCompilerHost(options),
    getSourceFile: (name) => typescript.createSourceFile(name, files.get(name) ?? "", targets.Latest, true),
  });
  const scopes = program.getTypeChecker();
  const wayOf = (node: import("typescript-5").Node): string | undefined => {
    if (typescript.isPropertyAccessExpression(node)) {
      const before = wayOf(node.expression);
      return before === undefined ? undefined : `${before}.${node.name.text}`;
    }
    const is = typescript.isIdentifier(node) && scopes.getSymbolAtLocation(node)?.declarations?.[0];
    if (!is) return undefined;
    if (typescript.isImportSpecifier(is))
      return /\/text\/\w+\.ts/.test(is.parent.parent.parent.getText()) ? is.name.text : undefined;
    return typescript.isVariableDeclaration(is) && is.initializer ? wayOf(is.initializer) : undefined;
  };
  const said = (way: string): unknown =>
    way
      .split(".")
      .reduce<unknown>(
        (of, name) => (typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined),
        { text, templateWords },
      );
  const tokens = (node: import("typescript-5").Node): string[] => {
    if (node.kind >= kinds.FirstJSDocNode && node.kind <= kinds.LastJSDocNode) return [];
    const [first] = typescript.isVariableStatement(node) ? node.declarationList.declarations : [];
    if (first?.initializer && wayOf(first.initializer) !== undefined) return [];
    const way = typescript.isPropertyAccessExpression(node) ? wayOf(node) : undefined;
    const word = way === undefined ? undefined : said(way);
    if (typeof word === "string") return [JSON.stringify(word)];
    if (way !== undefined && word !== undefined) return [way];
    if (typescript.isStringLiteral(node)) return [JSON.stringify(node.text)];
    const parts = node.getChildren();
    return parts.length === 0 ? [node.getText()] : parts.flatMap(tokens);
  };
  return new Map(
    [...files.keys()].map((name) => {
      const file = program.getSourceFile(name);
      return [name, file === undefined ? [] : tokens(file)];
    }),
  );
}

test("every page of the console means what it meant", () => {
  const pages = new Map([...sources].filter(([name]) => !isText(name)));
  const plain = new Bun.Transpiler({ loader: "ts" });
  const words = [...sources].filter(([name]) => isText(name));
  const shown = wordsInPlace(new Map(words.map(([name, of]) => [name, plain.transformSync(of)])), pages);
  const after = meanings(new Map([...shown].filter(([name]) => pages.has(name))));
  expect(after.size).toBeGreaterThan(100);
  for (const [name, tokens] of meanings(pages)) expect(after.get(name), name).toEqual(tokens);
});

test("no page has all words by giving their name to something else, or handing them on", () => {
  const whole = [...sources].filter(
    ([name, page]) => wordsInPlace(texts, new Map([[name, page]])).get("text.ts") === texts.get("text.ts"),
  );
  expect(whole.map(([name]) => name)).toEqual([]);
});

test("no word of the console is lost, and none is shown nowhere", async () => {
  const scripts = (await consoleFiles()).filter(({ path }) => path.endsWith(".js"));
  const source = scripts.map(({ bytes }) => Buffer.from(bytes).toString()).join("");
  const wordsOf = (of: unknown): string[] =>
    typeof of === "string"
      ? [of]
      : typeof of === "object" && of !== null
        ? Object.values(of).flatMap(wordsOf)
        : [];
  const words = wordsOf({ text, templateWords }).filter((word) => !/["'\n]/.test(word));
  expect(words.length).toBeGreaterThan(400);
  expect(words.filter((word) => !source.includes(word))).toEqual([]);
});
