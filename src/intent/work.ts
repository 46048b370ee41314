/** Comparisons in processes that can be killed: many devices at once, and each alone if those were too much. */
import { ServiceError } from "../base/errors.ts";
import { createDeadline } from "../base/time/deadline.ts";
import type { FoundDrift, WantedDrift, WantedText } from "../configtext/intent/work.ts";
import { modesOf, plainModes, plainRules, plainSecretPlaces } from "../configtext/rules.ts";
import type { PlatformPlugin, Running } from "../plugin/index.ts";
import { type Pool, searchShards } from "../pool/port.ts";

export interface ComparedDevice {
  /** Masked. */
  readonly now: string;
  /** The intent by its number. */
  readonly wanted: readonly (WantedText & { readonly intent: number })[];
}

/** By device and wanted text; an error: it could not be compared within the limits. */
export type ComparedDevices = readonly (readonly FoundDrift[] | ServiceError)[];

/** Comparing more takes too long for others who wait, and leaves more garbage in the process. */
const charsAtOnce = 150_000;
const limitMs = 60_000;
/**
 * One process compares as fast as this thread stores what it finds; a second one would only take memory. A fix, for which
 * somebody waits, does not stand behind comparisons.
 */
const [comparing, mending] = [0, searchShards - 1];

/** What a platform says of its texts, and the part of a configuration that is written as its lines are. */
export interface ComparedPlatform {
  readonly part: "running" | "set";
  readonly rules: WantedDrift["rules"];
  readonly secrets: WantedDrift["secrets"];
  readonly modes: WantedDrift["modes"];
  /** Why lines that mend a device cannot be computed; undefined: they can. */
  readonly whyNoFix: string | undefined;
}

export function comparedPlatform(platform: PlatformPlugin | undefined): ComparedPlatform {
  const running: Running | undefined = platform?.running;
  const isSet = running?.set !== undefined && running.shape !== "indent" && running.shape !== "set";
  const shape = isSet ? "set" : running?.shape;
  const isLines = shape === undefined || shape === "indent" || shape === "set";
  return {
    part: isSet ? "set" : "running",
    rules: plainRules({ ...running, blocks: platform?.blocks, shape }),
    modes: platform && plainModes(modesOf(platform)),
    secrets: running?.secrets && plainSecretPlaces(running.secrets),
    whyNoFix:
      running?.negate === undefined || !isLines || running.files !== undefined
        ? `it is not known how lines change a configuration of ${platform?.name ?? "no platform"}`
        : undefined,
  };
}

export function createDriftWork(pool: Pick<Pool, "run">) {
  async function run(
    platform: Pick<ComparedPlatform, "rules" | "secrets" | "modes">,
    intents: WantedDrift["intents"],
    devices: readonly ComparedDevice[],
    markKey: string,
    fix: WantedDrift["fix"],
    shard: number,
  ): Promise<ComparedDevices> {
    const texts = new Map<string, WantedText>();
    const places = new Map<string, number>();
    const wanted: WantedDrift = {
      ...{ rules: platform.rules, secrets: platform.secrets, markKey, intents },
      devices: devices.map(({ now, wanted }) => ({
        now,
        wanted: wanted.map(({ intent, text, closed }) => {
          const key = `${closed ?? ""}\n${text}`;
          const at = places.get(key) ?? places.size;
          places.set(key, at);
          texts.set(key, { text, closed });
          return { intent, text: at };
        }),
      })),
      texts: [...texts.values()],
      ...(fix === undefined ? {} : { fix, modes: platform.modes }),
    };
    const deadline = createDeadline(
      limitMs,
      () => new ServiceError("ReadTimeout", "The comparison with the intent took too long and was stopped."),
    );
    try {
      const { found } = await pool.run({ kind: "drift", wanted, shard }, { deadline });
      return found;
    } catch (error) {
      if (!(error instanceof ServiceError) || !ofTexts.has(error.kind)) throw error;
      if (devices.length === 1) return [error];
      const half = devices.length >> 1;
      const parts = [devices.slice(0, half), devices.slice(half)];
      const found: (readonly FoundDrift[] | ServiceError)[] = [];
      for (const part of parts) found.push(...(await run(platform, intents, part, markKey, fix, shard)));
      return found;
    } finally {
      deadline.dispose();
    }
  }

  return {
    /** @throws ServiceError TooManyRequests, Unavailable */
    async compare(
      platform: ComparedPlatform,
      intents: WantedDrift["intents"],
      devices: readonly ComparedDevice[],
      markKey: string,
      fix?: WantedDrift["fix"],
    ): Promise<ComparedDevices> {
      const shard = fix === undefined ? comparing : mending;
      const found: (readonly FoundDrift[] | ServiceError)[] = [];
      for (const some of inPieces(devices))
        found.push(...(await run(platform, intents, some, markKey, fix, shard)));
      return found;
    },
  };
}

/** Errors that a smaller task may not have. */
const ofTexts: ReadonlySet<string> = new Set([
  "TemplateTimeout",
  "TemplateLimit",
  "ReadTimeout",
  "WorkerLost",
]);

function* inPieces(devices: readonly ComparedDevice[]): Generator<readonly ComparedDevice[]> {
  let piece: ComparedDevice[] = [];
  let chars = 0;
  let seen = new Set<string>();
  for (const device of devices) {
    const fresh = device.wanted.filter(({ text }) => !seen.has(text));
    const more = device.now.length + fresh.reduce((sum, { text }) => sum + text.length, 0);
    if (piece.length > 0 && chars + more > charsAtOnce) {
      yield piece;
      [piece, chars, seen] = [[], 0, new Set()];
    }
    piece.push(device);
    chars += more;
    for (const { text } of device.wanted) seen.add(text);
  }
  if (piece.length > 0) yield piece;
}

export type DriftWork = ReturnType<typeof createDriftWork>;
