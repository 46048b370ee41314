/** The console's words stand in its scripts where they are shown; what a page reads in another way stays a member. */
import { readdirSync, readFileSync } from "node:fs";
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
  ])("%j shows %j", (page, shown) => expect(shownBy(page).page).toBe(shown));

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

test("no page has all words by giving their name to something else, or handing them on", () => {
  const folder = new URL("../../../src/console/", import.meta.url);
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const whole = pages.filter((name) => {
    const page = readFileSync(new URL(name, folder), "utf8");
    return wordsInPlace(texts, new Map([[name, page]])).get("text.ts") === texts.get("text.ts");
  });
  expect(whole).toEqual([]);
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
