/** Each grade of a line, with the evidence it rests on. */
import { expect, test } from "vitest";
import { frrRunning } from "../../plugins/platforms/family/running.ts";
import type { Grade } from "../../src/api/rehearsal/rehearsal.ts";
import { foresee } from "../../src/configlines/foresee.ts";
import { type GradeInput, gradeLines } from "../../src/rehearsal/grade.ts";
import type { StoredEvidence } from "../../src/store/port.ts";

const configuration = `hostname R1
interface eth8
 description uplink
exit
router bgp 65001
 neighbor 192.0.2.9 remote-as 65002
 neighbor 192.0.2.9 description transit
exit
ip prefix-list PL-A seq 5 permit 10.0.0.0/8
route-map RM-IN permit 10
 match ip address prefix-list PL-A
exit
`;

function graded(lines: readonly string[], more: Partial<GradeInput> = {}) {
  const foreseen = foresee({ configuration, lines, rules: frrRunning });
  return gradeLines({
    ...{ foreseen, lines, record: [], major: undefined, asks: [], native: undefined, shows: true },
    iso: (ms) => new Date(ms).toISOString(),
    ...more,
  });
}

function evidence(section: string, shape: string, more: Partial<StoredEvidence> = {}): StoredEvidence {
  return {
    ...{ platform: "frr", versionMajor: "8", section, shape, accepted: 1, refused: 0 },
    ...{ sampleError: null, lastAt: Date.parse("2026-11-29T10:00:00Z") },
    ...more,
  };
}

const bgp = "router bgp 65001";
const timers = evidence("router bgp", "neighbor <ip> timers <n> <n>", { accepted: 3 });
const unheard = [bgp, " neighbor 192.0.2.9 timers 10 30"];

/** Grade, why, lines, what else is known, and what the last line is answered with. */
const cases: [Grade, string, readonly string[], Partial<GradeInput>, object][] = [
  [
    "alike",
    "it stands in the configuration",
    ["ip prefix-list PL-B seq 5 permit 10.0.0.0/8"],
    {},
    {
      ...{ why: "1 such line stands in its configuration", evidence: { from: "configuration", accepted: 1 } },
    },
  ],
  [
    "seen",
    "accepted on the same major version",
    unheard,
    { record: [timers], major: "8" },
    {
      why: "such lines were accepted 3 times on this version",
      evidence: { from: "record", accepted: 3, refused: 0, last_at: "2026-11-29T10:00:00.000Z" },
    },
  ],
  [
    "alike",
    "accepted on another version",
    unheard,
    { record: [timers], major: "9" },
    {
      ...{
        why: "such lines were accepted 3 times on other versions",
        evidence: { from: "record", accepted: 3 },
      },
    },
  ],
  [
    "alike",
    "of a device whose version is not known",
    unheard,
    { record: [timers] },
    {
      why: expect.stringContaining("the version of this device is not known"),
    },
  ],
  [
    "alike",
    "a record without a version is of no known one",
    unheard,
    {
      ...{ record: [{ ...timers, versionMajor: "" }], major: "8" },
    },
    {},
  ],
  ["unknown", "nothing is known", unheard, { major: "8" }, { evidence: { from: "none" } }],
  [
    "unknown",
    "another section's record says nothing of a shape of values",
    [bgp, " <ip> 5"],
    {
      ...{ record: [evidence("", "<word> <n>")], major: "8" },
    },
    {},
  ],
  [
    "refused",
    "refused more often than accepted",
    unheard,
    {
      record: [{ ...timers, accepted: 1, refused: 2, sampleError: "% Unknown command" }],
      major: "8",
    },
    {
      why: "such lines were refused 2 times",
      evidence: { from: "record", accepted: 1, refused: 2, words: "% Unknown command" },
    },
  ],
  [
    "alike",
    "refused here as often as accepted, and elsewhere accepted",
    unheard,
    {
      record: [
        { ...timers, accepted: 1, refused: 2 },
        { ...timers, versionMajor: "9", accepted: 5 },
      ],
      major: "8",
    },
    {},
  ],
  [
    "refused",
    "what it needs is not there",
    [bgp, " neighbor 192.0.2.7 description x"],
    { major: "8" },
    {
      ...{ why: expect.stringContaining("which is not there"), evidence: { from: "rules" } },
    },
  ],
  [
    "refused",
    "another line has to go first",
    [
      "router bgp 65001",
      " neighbor PG peer-group",
      " neighbor P2 peer-group",
      " neighbor 192.0.2.3 peer-group PG",
      " neighbor 192.0.2.3 peer-group P2",
    ],
    {},
    { why: '"neighbor 192.0.2.3 peer-group PG" has to be removed first' },
  ],
  [
    "refused",
    "what it removes is not there, and the system minds",
    [bgp, " no neighbor P9 peer-group"],
    {},
    { why: '"neighbor P9 peer-group" is not there, and cannot be removed' },
  ],
  ["no_effect", "what it removes is not there", ["no ip route 10.0.0.0/8 192.0.2.1"], {}, {}],
  [
    "no_effect",
    "the list has it under another number",
    ["ip prefix-list PL-A seq 7 permit 10.0.0.0/8"],
    {},
    {},
  ],
  [
    "unknown",
    "a word that was refused says nothing of another one",
    [bgp, " desc x"],
    { record: [evidence("router bgp", "<word> <word>", { accepted: 0, refused: 3 })] },
    { why: "nothing is known of such a line" },
  ],
  [
    "wrong_mode",
    "it leaves a section that it does not stand in",
    ["router ospf", " exit-address-family"],
    {},
    {},
  ],
  [
    "unknown",
    "known in a section within",
    [bgp, " neighbor 192.0.2.9 activate"],
    { record: [evidence("router bgp > address-family ipv4 unicast", "neighbor <ip> activate")] },
    { why: 'such lines are known in "router bgp > address-family ipv4 unicast" only' },
  ],
  [
    "wrong_mode",
    "known in another section only",
    ["interface eth8", " set metric 5"],
    {
      ...{ record: [evidence("route-map", "set metric <n>")], major: "8" },
    },
    { why: 'such lines are known in "route-map" only' },
  ],
  [
    "leaves_mode",
    "known in the section around",
    [bgp, " address-family ipv4 unicast", "  bgp router-id 192.0.2.1"],
    {
      record: [evidence("router bgp", "bgp router-id <ip>")],
    },
    { why: 'such lines stand in "router bgp": it leaves its section' },
  ],
  [
    "asks",
    "a question of the platform",
    ["clear something"],
    { asks: [/^clear /] },
    {
      evidence: { from: "rules" },
    },
  ],
  [
    "no_effect",
    "it is so already",
    [bgp, " neighbor 192.0.2.9 remote-as 65002"],
    {},
    {
      evidence: { from: "configuration" },
    },
  ],
  [
    "alike",
    "what it removes stands there",
    [bgp, " no neighbor 192.0.2.9 description"],
    {},
    {
      why: "what it removes stands in the configuration",
    },
  ],
  [
    "checked",
    "by the device",
    unheard,
    { native: { refused: new Map(), difference: "" } },
    {
      evidence: { from: "device" },
    },
  ],
  [
    "refused",
    "by the device",
    unheard,
    {
      native: { refused: new Map([[2, "% Invalid input"]]), difference: undefined },
    },
    { evidence: { from: "device", words: "% Invalid input" } },
  ],
  [
    "unknown",
    "the device's check has failed at another line",
    unheard,
    {
      native: { refused: new Map([[1, "% Invalid input"]]), difference: undefined },
    },
    {},
  ],
  [
    "unknown",
    "a line of one address family stands in another one",
    [bgp, " address-family ipv4 unicast", "  neighbor 192.0.2.9 next-hop-self"],
    {
      record: [evidence("router bgp > address-family ipv6 unicast", "neighbor <ip> next-hop-self")],
      major: "8",
    },
    { why: 'such lines are known in "router bgp > address-family ipv6 unicast" only' },
  ],
  [
    "unknown",
    "refused once, in words about what else was there",
    unheard,
    {
      record: [{ ...timers, accepted: 0, refused: 1, sampleError: "% Specify <word> first" }],
      major: "8",
    },
    { evidence: { words: "% Specify <word> first" } },
  ],
  [
    "refused",
    "refused three times, whatever the words",
    unheard,
    { record: [{ ...timers, accepted: 0, refused: 3, sampleError: "% Specify <word> first" }], major: "8" },
    {},
  ],
  [
    "wrong_mode",
    "the end of a section that a line before it has left",
    [bgp, " address-family ipv4 unicast", "  neighbor 192.0.2.9 description x", " exit-address-family"],
    { major: "8" },
    { why: "line 3 has left its section" },
  ],
  [
    "unknown",
    "below a line of which nothing is known, places are not known",
    ["frobnicate bgp", " neighbor 192.0.2.9 description x"],
    { major: "8" },
    { why: expect.stringContaining("what it stands in is not known") },
  ],
  [
    "unknown",
    "the negation is mistyped",
    ["on ip prefix-list PL-A seq 5 permit 10.0.0.0/8"],
    {},
    { why: expect.stringContaining('perhaps mistyped: "no"') },
  ],
];

test.each(cases)("%s: %s", (grade, _name, lines, more, rest) => {
  expect(graded(lines, more).at(-1)).toMatchObject({ line: lines.length, grade, ...rest });
});

test("what locks us out is told before everything else, the word of the device too", () => {
  const lines = ["interface eth8", " description uplink"];
  const foreseen = {
    ...foresee({ configuration, lines, rules: frrRunning }),
    lockouts: [{ line: 2, why: "w" }],
  };
  const native = { refused: new Map(), difference: "" };
  expect(graded(lines, { foreseen, native }).map(({ grade }) => grade)).toEqual(["checked", "locks_out"]);
});

test("a line that opens a section stands in the one around it, as it does in the configuration", () => {
  const lines = [
    "interface eth9",
    " description x",
    bgp,
    " address-family ipv4 unicast",
    "  network 10.0.0.0/8",
  ];
  expect(graded(lines).map(({ grade }) => grade)).toEqual(["alike", "alike", "alike", "unknown", "unknown"]);
  expect(foresee({ configuration, lines, rules: frrRunning }).lines.map(({ section }) => section)).toEqual([
    ...["", "interface", "", "router bgp", "router bgp > address-family ipv4 unicast"],
  ]);
});

test("a line that leaves the configuration is told where lines follow it", () => {
  const lines = [bgp, " neighbor 192.0.2.9 shutdown", "exit", "end", "hostname R1"];
  expect(graded(lines).map(({ grade }) => grade)).toEqual([
    ...["alike", "unknown", "alike", "leaves_mode", "wrong_mode"],
  ]);
  expect(graded(lines.slice(0, 4)).at(-1)?.grade).toBe("alike");
});

test.each([
  [" neighbour 192.0.2.9 description x", '"neighbor" is known there'],
  [" bgp router-id 192.0.2.x", "word 3 is elsewhere an address"],
  [" bgp router-id 192.0.256.1", "word 3 is elsewhere an address"],
  [" gbp router-id 192.0.2.1", '"bgp" is known there'],
  [" qrx 192.0.2.1", "no command begins with its first word"],
  [" neighbor 192.0.2.9 remote-as 65OO2", "word 4 is elsewhere a number"],
])("a mistyped line is unknown, and the likely word is named: %s", (line, meant) => {
  const record = ["neighbor <ip> description <text>", "bgp router-id <ip>"].map((shape) =>
    evidence("router bgp", shape),
  );
  expect(graded([bgp, line], { record })[1]).toMatchObject({
    ...{ grade: "unknown", why: `nothing is known of such a line; perhaps mistyped: ${meant}` },
  });
});
