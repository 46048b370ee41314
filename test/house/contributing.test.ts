/** Every command of CONTRIBUTING.md exists as written; cheap ones are run. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { tempFolder } from "../../src/testkit/service.ts";

const page = readFileSync("CONTRIBUTING.md", "utf8");
const commands = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].flatMap((block) =>
  (block[1] ?? "").trim().split("\n"),
);
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));

/** Run in every test run; slower ones have their own tests. */
const cheap = [
  "npx -y bun run test:file test/base/text/near-names.test.ts",
  "npx -y bun run patchbay plugin new driver acme-demo --folder data/plugins",
  "npx -y bun run patchbay plugin check data/plugins/acme-demo",
  "npx -y bun run patchbay plugin types",
];

test("CONTRIBUTING.md has commands in each section", () => {
  const parts = [...page.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(parts).toEqual(["Set up", "One test", "One bench", "A vendor", "A plugin", "A change", "A release"]);
  expect(commands.length).toBeGreaterThan(20);
  for (const command of cheap) expect(commands).toContain(command);
});

test.each(commands)("the command exists: %s", (command) => {
  const [program, ...words] = command.split(" ");
  if (program === "node") {
    expect(words[0]).toBe("scripts/run.mjs");
    expect(existsSync(words[1] ?? "")).toBe(true);
    return;
  }
  expect(command).toMatch(/^npx -y bun run /);
  const [name = "", ...args] = words.slice(3);
  expect(Object.keys(scripts)).toContain(name);
  for (const arg of args.filter((one) => one.startsWith("test/"))) expect(existsSync(arg), arg).toBe(true);
  const flags = args.filter((one) => one.startsWith("--"));
  if (name === "patchbay") {
    const { status, stdout } = run(name, [...args.filter((one) => /^[a-z]+$/.test(one)), "--help"]);
    expect(status).toBe(0);
    for (const flag of flags) expect(stdout).toContain(flag);
  } else {
    const script = /scripts\/\S+\.ts|src\/main\.ts/.exec(scripts[name] ?? "")?.[0];
    const source =
      script === "src/main.ts"
        ? run(name, ["--help"]).stdout
        : readFileSync(script ?? "package.json", "utf8");
    for (const flag of flags) expect(source, `${name} does not know ${flag}`).toContain(flag.slice(2));
  }
});

test("the cheap commands run as written", () => {
  const folder = tempFolder();
  for (const command of cheap) {
    const [name = "", ...args] = command.replace("data/plugins", join(folder, "plugins")).split(" ").slice(4);
    const { status, stdout, stderr } = run(name, args);
    expect(status, `${command}\n${stdout}\n${stderr}`).toBe(0);
  }
});

/** As `bun run` does, with the installed Bun. */
function run(name: string, args: readonly string[]) {
  const script = (scripts[name] ?? "")
    .replace(/^node scripts\/run\.mjs/, process.execPath)
    .replace(/^bun /, `${process.execPath} `);
  const [program = "", ...before] = script.split(" ");
  return spawnSync(program, [...before, ...args], { encoding: "utf8", cwd: resolve(".") });
}
