/** Rehearses lines: foresees what they would do, and grades each by what is known. */
import { notWhole } from "../api/history/history.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import { type NotAsked, notAskedWords } from "../api/rehearsal/not-asked.ts";
import {
  type Grade,
  grades,
  type Rehearsal,
  type RehearsedLine,
  rehearsalLimits,
} from "../api/rehearsal/rehearsal.ts";
import { twinProofRecord } from "../api/rehearsal/twin-proof.ts";
import { isRecord } from "../base/json/members.ts";
import type { SessionFacts } from "../configlines/lockout.ts";
import { maskDifference } from "../configtext/secrets/mask-difference.ts";
import { fingerprintWith, hiddenFingerprint } from "../configtext/secrets/secrets.ts";
import type { Foresight, Foresights } from "../history/port.ts";
import type { Inventory } from "../inventory/port.ts";
import type { DriverPlugin, PlatformPlugin } from "../plugin/index.ts";
import type { Store } from "../store/port.ts";
import { foretellsRefusal, gradeLines, type NativeCheck } from "./grade.ts";
import type { AskedRehearsal, Rehearsals, Unasked } from "./port.ts";
import { majorOf } from "./version.ts";

export interface RehearsalOptions {
  readonly store: Pick<Store, "changes" | "evidence" | "credentials" | "clock" | "history">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly foresights: Foresights;
  readonly iso: (ms: number) => string;
  /** By name or alias. */
  platform(name: string): PlatformPlugin | undefined;
  driver(name: string): Pick<DriverPlugin, "transport"> | undefined;
  /** Addresses of a host, and those of our end of a connection to it. Never rejects. */
  addressesOf(
    host: string,
  ): Promise<{ readonly hosts: readonly string[]; readonly locals: readonly string[] }>;
}

const mostShapes = 2_000;
/** Accepted shapes of the sections that a mistyped word is compared with. */
const mostNeighbours = 2_000;
const dayS = 86_400;

export function createRehearsals(options: RehearsalOptions): Rehearsals {
  const { store, inventory, foresights, iso, platform: find } = options;

  async function versionOf(device: string | null): Promise<string | undefined> {
    if (device === null) return undefined;
    const facts = await (await inventory.snapshot()).facts();
    return majorOf(facts.get(entryKey(device))?.version);
  }

  /** Also of a credential that is stored here; empty: not known. */
  async function userOf({ username, credential }: AskedRehearsal["connection"]): Promise<string> {
    if (typeof username === "string") return username;
    const { name, ref } = isRecord(credential) ? credential : {};
    if (typeof name !== "string" || typeof ref !== "string") return "";
    const fields = await store.credentials.open(name, ref).catch(() => undefined);
    return fields?.username ?? "";
  }

  async function sessionOf(asked: AskedRehearsal): Promise<SessionFacts> {
    const { connection, host, via, driver } = asked;
    const { hosts, locals } = await options.addressesOf(host);
    const transport = options.driver(driver)?.transport?.(connection) ?? "ssh";
    return {
      ...{ hosts: [...new Set([host, ...hosts])], transport },
      // What the device sees is the last jump host.
      locals: via === undefined ? locals : (await options.addressesOf(via)).hosts,
      user: await userOf(connection),
      port: Number(connection.port ?? ports[transport]),
    };
  }

  /** What a device says of its configuration has secrets as they are. */
  async function maskedCheck(
    said: NativeCheck | Unasked,
    platform: PlatformPlugin | undefined,
    comparesSecrets: boolean,
  ): Promise<NativeCheck | Unasked> {
    const fingerprint = comparesSecrets ? fingerprintWith(await store.history.markKey()) : hiddenFingerprint;
    const masked = (text: string) => maskDifference(text, platform?.running, fingerprint);
    if ("because" in said) return said.words === undefined ? said : { ...said, words: masked(said.words) };
    const { refused, difference } = said;
    return {
      refused: new Map([...refused].map(([line, words]) => [line, masked(words)])),
      difference: difference === undefined ? undefined : masked(difference),
    };
  }

  return {
    async rehearse(asked, of) {
      const from = performance.now();
      const platform = find(asked.platform ?? "");
      const session = await sessionOf(asked);
      const [foresight, major] = await Promise.all([
        foresights.foresee(
          {
            ...{ device: asked.device ?? undefined, platform: platform?.name ?? null },
            ...{ lines: asked.lines, isMasked: asked.isMasked, session },
            comparesSecrets: asked.comparesSecrets,
          },
          of,
        ),
        versionOf(asked.device),
      ]);
      const { foreseen } = foresight;
      const record =
        platform === undefined
          ? []
          : await store.evidence.find(
              platform.name,
              {
                shapes: distinct(foreseen.lines.map(({ shape }) => shape)),
                sections: distinct(foreseen.lines.map(({ section }) => section)),
              },
              mostNeighbours,
            );
      const said = await maskedCheck(asked.native, platform, asked.comparesSecrets);
      const native = "because" in said ? undefined : said;
      const graded = gradeLines({
        ...{ foreseen, lines: foresight.lines, record, major, native, shows: asked.shows, iso },
        asks: platform?.running?.asks ?? [],
      });
      const seconds = Math.round(performance.now() - from) / 1_000;
      const now = store.clock.wall();
      const knowsAccess = platform?.running?.access !== undefined;
      const rehearsal = rehearsalOf(graded, foresight, {
        ...{ ...asked, native, major, knowsAccess, now, iso, seconds },
        notAsked: notAskedOf(said, asked),
      });
      if (asked.change !== undefined)
        await store.changes.noteRehearsal(asked.change, {
          ...{ device: entryKey(asked.device ?? asked.host), jobId: asked.change.jobId, at: now },
          grades: JSON.stringify(rehearsal.grades),
          refusals: graded.filter(foretellsRefusal).length,
          // Each part of a configuration has numbers of its own.
          version: foresight.known?.part === "running" ? foresight.known.version : null,
        });
      return rehearsal;
    },
  };
}

const distinct = (all: readonly string[]) => [...new Set(all)].slice(0, mostShapes);

const ports = { ssh: 22, telnet: 23, netconf: 830, https: 443 } as const;

interface Circumstances extends Pick<AskedRehearsal, "shows" | "comparesSecrets"> {
  /** Undefined: the device has not checked the lines. */
  readonly native: NativeCheck | undefined;
  readonly notAsked: NotAsked[];
  readonly major: string | undefined;
  /** By which words its system lets somebody in. */
  readonly knowsAccess: boolean;
  readonly now: number;
  readonly seconds: number;
  iso(ms: number): string;
}

export function rehearsalOf(
  graded: readonly RehearsedLine[],
  { foreseen, known, why }: Foresight,
  { shows, comparesSecrets, native, notAsked, major, knowsAccess, now, seconds, iso }: Circumstances,
): Rehearsal {
  const counts: Partial<Record<Grade, number>> = {};
  for (const { grade } of graded) counts[grade] = (counts[grade] ?? 0) + 1;
  const age = known && Math.max(0, Math.round((now - known.seenAt) / 1_000));
  const { predicted = null, difference = null, reverse, isProven = null } = foreseen;
  const isLong = (predicted?.length ?? 0) > rehearsalLimits.chars;
  const device = native?.difference;
  const shown = shownLines(graded);
  return {
    message: sentenceOf(graded, counts),
    grades: counts,
    ...shown,
    refusals: shown.lines.filter(foretellsRefusal).map(({ line }) => line),
    configuration:
      known === undefined || age === undefined
        ? null
        : {
            ...{ version: known.version, taken_at: iso(known.takenAt) },
            ...{ last_seen_at: iso(known.seenAt), age_seconds: age },
          },
    diff: shows ? difference : null,
    predicted: shows && !isLong ? predicted : null,
    reverse: shows && predicted !== null ? [...reverse] : null,
    reverse_proven: predicted === null ? null : isProven,
    ...(foreseen.twin === undefined ? {} : { twin: twinProofRecord(foreseen.twin, shows) }),
    ...(device === undefined || !shows ? {} : { device_diff: device }),
    not_asked: notAsked,
    warnings: [
      ...(why === undefined ? [] : [`the configuration that the lines would leave is not foretold: ${why}`]),
      ...(knowsAccess
        ? known === undefined
          ? ["which lines lock us out is known in part: without its configuration the way is not known"]
          : []
        : ["which lines lock us out is not known for its system, so no line is graded locks_out"]),
      ...(known?.isDoubted === true ? [`${notWhole}: it may have changed since the version used`] : []),
      ...(age !== undefined && age > dayS
        ? [`the version used was last seen ${Math.floor(age / dayS)} days ago: read it again`]
        : []),
      ...(major === undefined ? ["the version of its system is not known, so no line is graded seen"] : []),
      ...(shows || predicted === null ? [] : ["the key may not read configurations: none is shown"]),
      ...(counts.unknown === undefined || predicted === null
        ? []
        : ["lines of which nothing is known are foretold as they stand: an abbreviation is not understood"]),
      ...(comparesSecrets || !hasSecret(shown.lines)
        ? []
        : ["without the right history_secrets a secret is not compared: it is foretold as another one"]),
      ...(isLong ? ["what is foretold is too long to be shown"] : []),
      ...(isProven === false ? ["the reverse lines do not give back all that is there now"] : []),
    ],
    took: seconds,
  };
}

function notAskedOf(
  said: NativeCheck | Unasked,
  { commits, shows }: Pick<AskedRehearsal, "commits" | "shows">,
): NotAsked[] {
  const of = (what: NotAsked["what"], { because, words }: Unasked): NotAsked => ({
    ...{ what, because },
    why: words === undefined || !shows ? notAskedWords[because] : `${notAskedWords[because]}: ${words}`,
  });
  return [
    ...("because" in said ? [of("check", said)] : []),
    ...(commits ? [of("commit", { because: "not_simulated" })] : []),
  ];
}

const hasSecret = (lines: readonly RehearsedLine[]) => lines.some(({ text }) => text.includes("<secret "));

/** How bad a grade is, from the worst on. */
const worst: readonly Grade[] = [
  ...(["locks_out", "refused", "wrong_mode", "leaves_mode", "asks", "unknown"] as const),
  ...(["no_effect", "alike", "seen", "checked"] as const),
];

function shownLines(graded: readonly RehearsedLine[]): Pick<Rehearsal, "lines" | "cut"> {
  const { lines: most } = rehearsalLimits;
  if (graded.length <= most) return { lines: [...graded] };
  const byWorst = [...graded].sort(
    (a, b) => worst.indexOf(a.grade) - worst.indexOf(b.grade) || a.line - b.line,
  );
  return { lines: byWorst.slice(0, most).sort((a, b) => a.line - b.line), cut: true };
}

function sentenceOf(
  graded: readonly RehearsedLine[],
  counts: Readonly<Partial<Record<Grade, number>>>,
): string {
  const bad = worst.slice(0, 6).find((grade) => counts[grade] !== undefined);
  const first = graded.find(({ grade }) => grade === bad);
  const all = grades.flatMap((grade) => (counts[grade] === undefined ? [] : [`${counts[grade]} ${grade}`]));
  const total = `${graded.length} ${graded.length === 1 ? "line" : "lines"}: ${all.join(", ")}`;
  return first === undefined ? `${total}.` : `${total}. Line ${first.line}: ${first.why}.`;
}
