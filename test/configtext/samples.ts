/**
 * Sample configurations, written from the vendors' public documentation: each secret stands between « and », after a ~
 * if the device encrypts it anew at each show.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { builtins } from "../../plugins/index.ts";
import type { ReadInput } from "../../src/configtext/read.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";

const folder = "test/configtext/samples";

export interface Sample {
  readonly name: string;
  readonly platform: PlatformPlugin;
  readonly part: "running" | "set";
  /** As the device shows it. */
  readonly raw: string;
  /** With its secrets masked. */
  readonly masked: string;
  readonly secrets: readonly { readonly at: number; readonly text: string; readonly reencrypted: boolean }[];
}

export const fingerprint = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex").slice(0, 6);

export const platformOf = (name: string): PlatformPlugin | undefined =>
  builtins.find(
    (plugin): plugin is PlatformPlugin =>
      plugin.kind === "platform" && (plugin.name === name || plugin.aliases?.includes(name) === true),
  );

/** Named `<platform>.txt`, `<platform>.set.txt`, `<platform>.<more>.txt`. */
export const samples: readonly Sample[] = readdirSync(folder)
  .filter((file) => file.endsWith(".txt"))
  .sort()
  .map((file) => {
    const platform = platformOf(file.split(".")[0] ?? "");
    if (platform === undefined) throw new Error(`${file}: no such platform`);
    const marked = readFileSync(`${folder}/${file}`, "utf8");
    const pieces = marked.split(/«([^»]*)»/);
    let raw = "";
    let masked = "";
    const secrets: { at: number; text: string; reencrypted: boolean }[] = [];
    for (const [at, piece] of pieces.entries()) {
      if (at % 2 === 0) {
        raw += piece;
        masked += piece;
        continue;
      }
      const reencrypted = piece.startsWith("~");
      const text = reencrypted ? piece.slice(1) : piece;
      secrets.push({ at: raw.length, text, reencrypted });
      raw += text;
      masked += `<secret ${fingerprint(text)}>`;
    }
    const part = file.includes(".set.") ? "set" : "running";
    return { name: file.replace(".txt", ""), platform, part, raw, masked, secrets };
  });

export function inputOf({ platform, part }: Pick<Sample, "platform" | "part">, text: string): ReadInput {
  return { text, rules: platform.running, errors: platform.errors, part, fingerprint };
}
