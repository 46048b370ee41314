/** Schemas of the API description that allow anything: `unknown` in a client generated from it. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { pause } from "../../src/base/time/deadline.ts";
import { freePort } from "../../src/testkit/port.ts";

const key = "counts-key-0123456789abcdef";
/** They say something about a value but not what it may be. */
const words = ["description", "title", "default", "examples", "example", "deprecated", "readOnly"];

interface Unknowns {
  readonly unknowns: number;
  /** Paths in the document, each once. */
  readonly places: readonly string[];
}

/** Asks the service of the current folder, which may be of any commit. @returns undefined if it does not start */
export async function emptySchemas(): Promise<Unknowns | undefined> {
  const document = await documentOfThisTree();
  if (document === undefined) return undefined;
  const places = walk(document, "");
  return { unknowns: places.length, places: [...new Set(places)].sort() };
}

function walk(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => walk(one, path));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = `${path}/${name}`;
    const isSchema =
      ["schema", "items", "additionalProperties"].includes(name) || path.endsWith("/properties");
    const saysNothing = isObject(inner) && Object.keys(inner).every((word) => words.includes(word));
    if (name === "examples" || name === "example") return [];
    return isSchema && saysNothing ? [at] : walk(inner, at);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function documentOfThisTree(): Promise<unknown> {
  const [dataDir, port] = [mkdtempSync(join(tmpdir(), "patchbay-counts-")), await freePort()];
  const child = spawn(process.execPath, ["src/main.ts", "serve"], {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      PATCHBAY_DATA_DIR: dataDir,
      PATCHBAY_LISTEN: `127.0.0.1:${port}`,
      PATCHBAY_API_KEY: key,
    },
  });
  try {
    for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
      const answer = await fetch(`http://127.0.0.1:${port}/openapi.json`, {
        headers: { "X-API-KEY": key },
      }).catch(() => undefined);
      if (answer?.ok) return v.parse(v.unknown(), await answer.json());
      await pause(100);
    }
    return undefined;
  } finally {
    child.kill();
    await new Promise((done) => (child.exitCode === null ? child.once("exit", done) : done(undefined)));
    rmSync(dataDir, { recursive: true, force: true });
  }
}
