import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { maskSecrets, secret } from "../../../src/base/secrets/secret.ts";

describe("a Secret", () => {
  const hidden = secret("hunter2-canary");

  test("shows its value only through reveal()", () => {
    const shown = [
      String(hidden),
      `${hidden}`,
      JSON.stringify({ one: hidden }),
      inspect(hidden),
      inspect({ deep: [hidden] }),
      JSON.stringify(structuredClone({ ...hidden })),
    ];
    for (const text of shown) expect(text).not.toContain("canary");
    expect(hidden.reveal()).toBe("hunter2-canary");
  });

  test("is logged as [secret], and so are values of secret field names", () => {
    const lines: string[] = [];
    const log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
    log.info("test", {
      one: hidden,
      nested: { one: hidden },
      password: "hunter2-canary",
      args: { secret: "hunter2-canary" },
    });
    expect(lines.join("")).toContain('"event":"test"');
    expect(lines.join("")).not.toContain("canary");
  });

  test("is masked inside other strings", () => {
    expect(maskSecrets("login hunter2-canary failed", [hidden, undefined])).toBe("login [secret] failed");
    expect(maskSecrets("abc", [secret("b")])).toBe("abc");
  });
});
