/**
 * TTP in a new process: CPU milliseconds of all threads for each phase and for further runs, as JSON;
 * `floor`: bare regular expressions. Nothing is imported before it is measured.
 */
import { readFileSync } from "node:fs";
import process from "node:process";

const [what = "", textFile = "", templateFile = "", runs = "1"] = process.argv.slice(2);

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Finds the same lines with the runtime's own regular expressions and serializes their text as JSON. */
function floor(text: string): number {
  const from = cpuMs();
  const lines = ["interface (\\S+)", " description (.+)", " mtu (\\S+)", " ip address (\\S+) (\\S+)"];
  const found = lines.flatMap((line) => {
    const texts: string[][] = [];
    const expression = new RegExp(`\\n${line}(?=\\n)`, "g");
    for (let match = expression.exec(text); match !== null; match = expression.exec(text))
      texts.push(match.slice(1));
    return texts;
  });
  JSON.stringify(found);
  return cpuMs() - from;
}

async function engine(text: string) {
  const started = cpuMs();
  const { createEngine: create } = await import("../../plugins/templates/ttp/index.ts");
  const { defaultTemplateLimits } = await import("../../src/plugin/template-engine.ts");
  const { quietContext } = await import("../../src/plugin/quiet-context.ts");
  const loaded = cpuMs();
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const library = () => ({ installed: false, list: () => [], read: () => undefined });
  const kit = { log, settings: {}, limits: defaultTemplateLimits, readTemplate: () => undefined, library };
  const ctx = quietContext({ remaining: () => 60_000 });
  const made = cpuMs();
  const template = await create(kit).compile(readFileSync(templateFile, "utf8"), {});
  const compiled = cpuMs();
  const all: number[] = [];
  for (let n = 0; n < Number(runs); n++) {
    const from = cpuMs();
    template.runJson?.(text, ctx);
    all.push(cpuMs() - from);
  }
  return { empty: started, load: loaded - started, compile: compiled - made, runs: all };
}

function ignore(): void {}

const text = readFileSync(textFile, "utf8");
console.log(JSON.stringify(what === "floor" ? { floor: floor(text) } : await engine(text)));
