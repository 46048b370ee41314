/**
 * `bun run bench:changes`: a line with wrong data that takes the BGP session of a fifth of all routers, rolled out by this
 * service and by Debian's ansible-core: devices touched, left broken, and the time until the last is back; the same with
 * `kill -9` at random moments. `--devices`: simulated ones; `--real`: FRR routers, in a ring; `--kills`, `--rival-kills`,
 * `--kill-devices`; `--only` ours, ansible, kills or rival-kills.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { installPackages } from "../testbed/install.ts";
import { run } from "../testbed/run.ts";
import { ansibleVersion, startAnsible } from "./changes/ansible.ts";
import { downAfter, type Fleet, freshly, startFleet, sumsOf } from "./changes/fleet.ts";
import { killAnsible, killOurs } from "./changes/kills.ts";
import { startOurs } from "./changes/ours.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "1000" },
    real: { type: "string", default: "6" },
    settle: { type: "string", default: "5" },
    kills: { type: "string", default: "50" },
    "rival-kills": { type: "string", default: "10" },
    "kill-devices": { type: "string", default: "24" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
    only: { type: "string" },
  },
});
const [real, settleS, seed] = [Number(flags.real), Number(flags.settle), Number(flags.seed)];
const waves = ["5%", "25%", "100%"];
const folder = mkdtempSync(join(tmpdir(), "bench-changes-"));
const isAsked = (part: string) => flags.only === undefined || flags.only.split(",").includes(part);
const load = () => Math.round((loadavg()[0] ?? 0) * 10) / 10;

/** The canary that breaks is a real router, if there are any; the one that does not is of the same kind. */
function canariesOf({ speakers }: Fleet) {
  const [breaking] = speakers.filter(({ breaks }) => breaks);
  // Not the neighbour of one that breaks.
  const sound = speakers.filter(({ breaks, isReal }) => !breaks && isReal === breaking?.isReal)[1];
  if (breaking === undefined || sound === undefined) throw new Error("there are too few devices");
  return { canary_breaks: breaking.name, canary_does_not: sound.name };
}

const configurationsOf = ({ speakers }: Fleet) =>
  new Map(speakers.map((speaker) => [speaker.name, speaker.configuration()]));

async function measureOurs(fleet: Fleet): Promise<object> {
  const ours = await startOurs(join(folder, "ours"), fleet.speakers);
  const figures: Record<string, object> = {};
  try {
    for (const [name, canary] of Object.entries(canariesOf(fleet))) {
      await freshly(fleet);
      await ours.take();
      const before = configurationsOf(fleet);
      const change = await ours.planned({ canary, waves, settleS, word: name, isBad: true });
      if ((await ours.start(change.id)) !== 409) throw new Error("it started without a vote");
      await ours.vote(change);
      for (const speaker of fleet.speakers) speaker.mark();
      const at = load();
      const from = Date.now();
      await ours.start(change.id);
      const { state, reason, targets } = await ours.ended(change.id);
      const endedS = Math.round((Date.now() - from) / 100) / 10;
      // The neighbours of a session take a moment.
      await downAfter(fleet, 10_000);
      figures[name] = shown(name, {
        ...{ load: at, state, reason, ended_s: endedS, ...sumsOf(fleet, from, before) },
        states: countsOf(targets.map((target) => target.state)),
      });
    }
  } finally {
    await ours.stop();
  }
  return figures;
}

async function measureAnsible(fleet: Fleet): Promise<object> {
  const version = ansibleVersion();
  if (version === undefined) return { missing: "the Debian packages ansible-core and ansible" };
  const figures: Record<string, object> = {};
  for (const rescues of [false, true])
    for (const [name, canary] of Object.entries(canariesOf(fleet))) {
      await freshly(fleet);
      const before = configurationsOf(fleet);
      const key = rescues ? `${name}, with a rescue written by hand` : name;
      const at = load();
      const from = Date.now();
      const home = join(folder, `ansible-${Object.keys(figures).length}`);
      const playbook = startAnsible(home, fleet.speakers, { canary, settleS, word: name, rescues });
      const code = await playbook.exited;
      const endedS = Math.round((Date.now() - from) / 100) / 10;
      await downAfter(fleet, 10_000);
      figures[key] = shown(key, { load: at, exit: code, ended_s: endedS, ...sumsOf(fleet, from, before) });
      playbook.clean();
    }
  return { version, ...figures };
}

/** As soon as it is known: a run takes its time. */
function shown(name: string, figure: object): object {
  console.error(name, JSON.stringify(figure));
  return figure;
}

const countsOf = (states: readonly string[]) =>
  Object.fromEntries([...new Set(states)].map((one) => [one, states.filter((two) => two === one).length]));

async function withFleet(simulated: number, work: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await startFleet({ simulated, real });
  try {
    await work(fleet);
  } finally {
    await fleet.stop();
  }
}

const figures: Record<string, object> = {};
let breaches: readonly string[] = [];
mkdirSync(join(folder, "ours"));
try {
  if ((isAsked("ansible") || isAsked("rival-kills")) && ansibleVersion() === undefined)
    installPackages(["ansible-core", "ansible", "python3-paramiko"]);
  const [parts, killParts] = [
    ["ours", "ansible"],
    ["kills", "rival-kills"],
  ].map((names) => names.some(isAsked));
  if (parts)
    await withFleet(Number(flags.devices), async (fleet) => {
      if (isAsked("ours")) figures.ours = await measureOurs(fleet);
      if (isAsked("ansible")) figures.ansible = await measureAnsible(fleet);
    });
  if (killParts)
    await withFleet(Number(flags["kill-devices"]), async (fleet) => {
      const options = { fleet, folder, settleS: Math.min(settleS, 2), seed };
      if (isAsked("kills") && Number(flags.kills) > 0) {
        const killed = await killOurs({ ...options, kills: Number(flags.kills) });
        shown("kills", killed);
        figures.kills = killed;
        breaches = killed.breaches;
      }
      if (isAsked("rival-kills") && Number(flags["rival-kills"]) > 0 && ansibleVersion() !== undefined)
        figures.rival_kills = await killAnsible({ ...options, kills: Number(flags["rival-kills"]) });
    });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const machine = {
  ...{ cores: cpus().length, processor: cpus()[0]?.model, load: load() },
  frr: /version (\S+)/.exec(run(["/usr/lib/frr/bgpd", "--version"]).stdout)?.[1],
};
const head = { bench: "changes", devices: Number(flags.devices), real, settle_s: settleS, seed, machine };
console.log(JSON.stringify({ ...head, ...figures }, null, 2));
process.exit(breaches.length > 0 ? 1 : 0);
