/**
 * `bun run bench:remediation`: seven kinds of changes that go wrong when lines are only negated and added, as small pairs of
 * configurations: our lines and those of hier_config, judged by the same rules. Prints JSON. `--python <path>`: an
 * interpreter that has hier_config; without one, only ours are there.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { iosRunning, nxosRunning } from "../../plugins/platforms/family/running.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import type { Running } from "../../src/plugin/platform.ts";

const { values: flags } = parseArgs({ options: { python: { type: "string", default: "python3" } } });

/** `wrong`: a line is refused, or what they leave is not what was wanted; `risky`: on the way, and without a word of it. */
type Verdict = "right" | "risky" | "wrong";

interface Answer {
  readonly lines: readonly string[];
  /** What was said of them. */
  readonly said: readonly string[];
}

interface Judged {
  readonly verdict: Verdict;
  readonly why: string;
}

interface Pair {
  readonly kind: string;
  readonly system: "ios" | "nxos";
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** As the system documents its lines. */
  judge(answer: Answer): Judged;
}

const systems = {
  ios: { rules: iosRunning, theirs: "CISCO_IOS" },
  nxos: { rules: nxosRunning, theirs: "CISCO_NXOS" },
} as const satisfies Record<string, { readonly rules: Running; readonly theirs: string }>;

const right = (why: string): Judged => ({ verdict: "right", why });
const wrong = (why: string): Judged => ({ verdict: "wrong", why });
/** What happens on the way is right only if somebody is told. */
const told = (isSaid: boolean, why: string): Judged => ({
  verdict: isSaid ? "right" : "risky",
  why: `${why}, ${isSaid ? "which is said" : "without a word"}`,
});

const trimmed = ({ lines }: Answer) =>
  lines.map((line) => line.trim()).filter((line) => !/^(?:exit|end)$/.test(line));
const isSame = (one: readonly string[], other: readonly string[]) => one.join("\n") === other.join("\n");
const inside = (header: string, ...lines: string[]) => [header, ...lines.map((line) => ` ${line}`)];

/** A new entry stands last; any entry of a numbered list with `no` takes the list. */
function numberedList({ from, to }: Pick<Pair, "from" | "to">, answer: Answer): Judged {
  let list = [...from];
  let wasGone = false;
  for (const line of trimmed(answer)) {
    if (line.startsWith("no access-list ")) [list, wasGone] = [[], true];
    else if (!list.includes(line)) list.push(line);
  }
  if (!isSame(list, to)) return wrong(`the list is ${list.join(" / ")}`);
  return wasGone ? told(answer.said.includes("gap"), "for a moment there is no list") : right("");
}

/** `no` of the list of VLANs lets all of them pass, whatever stands behind it. */
function trunk(wanted: readonly number[], before: readonly number[], answer: Answer): Judged {
  let vlans: Set<number> | "all" = new Set(before);
  let wereAll = false;
  for (const line of trimmed(answer)) {
    if (/^no switchport trunk allowed vlan\b/.test(line)) [vlans, wereAll] = ["all", true];
    const found = /^switchport trunk allowed vlan (?:(add|remove) )?([\d,-]+)$/.exec(line);
    if (found === null) continue;
    const numbers = (found[2] ?? "").split(",").flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
    if (found[1] === undefined) vlans = new Set(numbers);
    else if (vlans !== "all")
      for (const number of numbers) found[1] === "add" ? vlans.add(number) : vlans.delete(number);
  }
  const is = vlans === "all" ? "all" : [...vlans].sort((a, b) => a - b).join(",");
  if (is !== wanted.join(",")) return wrong(`the trunk has ${is}`);
  return wereAll ? told(answer.said.length > 0, "for a moment all VLANs pass") : right("");
}

/** Another secondary address stands beside the old one. */
function secondaries(wanted: readonly string[], before: readonly string[], answer: Answer): Judged {
  const has = new Set(before);
  for (const line of trimmed(answer)) {
    if (line.startsWith("no ip address ")) has.delete(line.slice(3));
    else if (/^ip address .* secondary$/.test(line)) has.add(line);
  }
  return isSame([...has].sort(), [...wanted].sort()) ? right("") : wrong(`it has ${[...has].join(" / ")}`);
}

/** What removes the neighbour, or its number, takes all of its lines: another one of them is refused then. */
function neighbour(name: string, answer: Answer): Judged {
  const removes = new RegExp(`^no neighbor ${name}(?: remote-as \\d+)?$`);
  const lines = trimmed(answer);
  const at = lines.findIndex((line) => removes.test(line));
  if (at < 0) return wrong("the neighbour stays");
  const refused = lines.find((line, place) => place > at && line.startsWith(`no neighbor ${name}`));
  return refused === undefined ? right("") : wrong(`refused: ${refused}`);
}

function portType(answer: Answer): Judged {
  const lines = trimmed(answer);
  const refused = lines.find((line) => /^no spanning-tree port type .+/.test(line));
  if (refused !== undefined) return wrong(`refused: ${refused}`);
  return lines.includes("no spanning-tree port type") ? right("") : wrong("the port type stays");
}

/** An entry without a number stands last; numbers that the text does not have are a guess. */
function namedList({ from, to }: Pick<Pair, "from" | "to">, header: string, answer: Answer): Judged {
  const has = new Set(from.slice(1).map((line) => line.trim()));
  let list = [...has];
  let wasGone = false;
  for (const line of trimmed(answer)) {
    if (line === header) continue;
    if (line === `no ${header}`) [list, wasGone] = [[], true];
    else if (/^(?:no )?\d+\b/.test(line))
      return told(answer.said.length > 0, `it needs numbers that the text does not have: ${line}`);
    else if (line.startsWith("no ")) list = list.filter((entry) => entry !== line.slice(3));
    else list.push(line);
  }
  const wanted = to.slice(1).map((line) => line.trim());
  if (!isSame(list, wanted)) return wrong(`the list is ${list.join(" / ")}`);
  return wasGone ? told(answer.said.includes("gap"), "for a moment there is no list") : right("");
}

/** Whoever comes by the address, the gateway and the line that change is to know it before. */
function ownWay(answer: Answer): Judged {
  const lines = trimmed(answer);
  const gateways = lines.filter((line) => /^(?:no )?ip default-gateway\b/.test(line));
  if (gateways.at(-1) !== "ip default-gateway 192.0.2.129") return wrong("the gateway is not the wanted one");
  if (!lines.includes("transport input none")) return wrong("the line is not the wanted one");
  return told(
    answer.said.some((word) => word.startsWith("locks out")),
    "it ends the session that sends it",
  );
}

const numbered = {
  from: ["access-list 23 permit 192.0.2.0 0.0.0.255", "access-list 23 deny any"],
  to: [
    ...["access-list 23 permit 192.0.2.0 0.0.0.255", "access-list 23 permit 198.51.100.0 0.0.0.255"],
    "access-list 23 deny any",
  ],
};
const named = "ip access-list extended EDGE-IN";
const entries = {
  from: inside(named, "permit tcp any any eq 443", "deny ip any any"),
  to: inside(named, "permit tcp any any eq 443", "permit udp any any eq 443", "deny ip any any"),
};
const second = (address: string) => `ip address ${address} 255.255.255.0 secondary`;
const port = "interface GigabitEthernet0/3";

const pairs: readonly Pair[] = [
  {
    ...{ kind: "an entry before the last one of a numbered list", system: "ios", ...numbered },
    judge: (answer) => numberedList(numbered, answer),
  },
  {
    ...{ kind: "a VLAN more on a trunk", system: "ios" },
    from: inside(port, "switchport trunk allowed vlan 5,7,100-103"),
    to: inside(port, "switchport trunk allowed vlan 5,7,60,100-103"),
    judge: (answer) => trunk([5, 7, 60, 100, 101, 102, 103], [5, 7, 100, 101, 102, 103], answer),
  },
  {
    ...{ kind: "another secondary address", system: "ios" },
    from: inside("interface Vlan30", "ip address 192.0.2.1 255.255.255.0", second("198.51.100.1")),
    to: inside("interface Vlan30", "ip address 192.0.2.1 255.255.255.0", second("203.0.113.1")),
    judge: (answer) => secondaries([second("203.0.113.1")], [second("198.51.100.1")], answer),
  },
  {
    ...{ kind: "a BGP neighbour less", system: "ios" },
    from: inside(
      ...(["router bgp 64500", "neighbor 192.0.2.2 remote-as 64501"] as const),
      ...["neighbor 192.0.2.6 remote-as 64502", "neighbor 192.0.2.6 description lab"],
      "neighbor 192.0.2.6 password 7 0822455D0A16",
    ),
    to: inside("router bgp 64500", "neighbor 192.0.2.2 remote-as 64501"),
    judge: (answer) => neighbour("192.0.2.6", answer),
  },
  {
    ...{ kind: "the type of a port of NX-OS", system: "nxos" },
    from: inside("interface Ethernet1/9", "description server", "spanning-tree port type edge trunk"),
    to: inside("interface Ethernet1/9", "description server"),
    judge: portType,
  },
  {
    ...{ kind: "an entry inside a named list without numbers", system: "ios", ...entries },
    judge: (answer) => namedList(entries, named, answer),
  },
  {
    ...{ kind: "the way by which we come", system: "ios" },
    from: [
      ...inside("interface Vlan1", "ip address 192.0.2.10 255.255.255.128"),
      ...["ip default-gateway 192.0.2.1", ...inside("line vty 0 4", "transport input ssh")],
    ],
    to: [
      ...inside("interface Vlan1", "ip address 192.0.2.130 255.255.255.128"),
      ...["ip default-gateway 192.0.2.129", ...inside("line vty 0 4", "transport input none")],
    ],
    judge: ownWay,
  },
];

const textOf = (lines: readonly string[]) => `${lines.join("\n")}\n`;

function ours({ from, to, system }: Pair): Answer {
  const { rules } = systems[system];
  const { lines, doubts } = remediate(textOf(from), textOf(to), rules);
  const session = {
    ...({ hosts: ["192.0.2.10"], locals: ["192.0.2.100"], user: "ops", transport: "ssh", port: 22 } as const),
  };
  const { lockouts } = foresee({
    ...{ configuration: textOf(from), lines, rules, session, access: rules.access },
  });
  return { lines, said: [...doubts, ...lockouts.map(({ line }) => `locks out: line ${line}`)] };
}

const script = `
import importlib.metadata, json, sys
from hier_config import Platform, WorkflowRemediation, get_hconfig
found = []
for system, running, wanted in json.load(sys.stdin):
    platform = Platform[system]
    work = WorkflowRemediation(get_hconfig(platform, running), get_hconfig(platform, wanted))
    found.append(str(work.remediation_config).splitlines())
print(json.dumps({"version": importlib.metadata.version("hier-config"), "found": found}))
`;
const theirAnswer = v.object({ version: v.string(), found: v.array(v.array(v.string())) });

/** @returns why they are not there, or what they say */
function theirs(): string | v.InferOutput<typeof theirAnswer> {
  if (spawnSync(flags.python, ["-c", "import hier_config"]).status !== 0)
    return "hier_config is not installed: pip install hier-config, then --python <its interpreter>";
  const input = JSON.stringify(
    pairs.map(({ system, from, to }) => [systems[system].theirs, textOf(from), textOf(to)]),
  );
  const run = spawnSync(flags.python, ["-c", script], { input, encoding: "utf8", timeout: 60_000 });
  if (run.status !== 0) throw new Error(run.stderr);
  return v.parse(theirAnswer, JSON.parse(run.stdout));
}

const other = theirs();
const counts = (answers: readonly (Verdict | undefined)[]) =>
  Object.fromEntries(
    ["right", "risky", "wrong"].map((word) => [word, answers.filter((one) => one === word).length]),
  );
const judged = pairs.map((pair, at) => {
  const own = ours(pair);
  const their = typeof other === "string" ? undefined : { lines: other.found[at] ?? [], said: [] };
  return {
    kind: pair.kind,
    ours: { ...pair.judge(own), ...own },
    ...(their === undefined ? {} : { hier_config: { ...pair.judge(their), lines: their.lines } }),
  };
});
console.log(
  JSON.stringify(
    {
      bench: "remediation",
      hier_config: typeof other === "string" ? other : other.version,
      ours: counts(judged.map(({ ours: { verdict } }) => verdict)),
      ...(typeof other === "string"
        ? {}
        : { theirs: counts(judged.map(({ hier_config }) => hier_config?.verdict)) }),
      pairs: judged,
    },
    null,
    2,
  ),
);
process.exit(0);
