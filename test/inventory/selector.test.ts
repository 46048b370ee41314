/** The selector language: what it selects, and the position of errors. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { readSelector, type SelectableDevice } from "../../src/inventory/selector/selector.ts";
import { runs } from "../support/runs.ts";

const device: SelectableDevice = {
  name: "ber-acc-01",
  host: "10.1.2.3",
  platform: "cisco_ios",
  driver: "netmiko",
  site: "New York",
  role: "access",
  tags: ["lab", "Spare"],
  group: "berlin",
  groups: ["berlin", "europe"],
  enabled: true,
  credential: { name: "kept", ref: "tacacs" },
  vars: { ntp: { server: "192.0.2.1" }, vlans: [10, 20], Ring: "blue", none: null },
};
const off = { ...device, name: "off", enabled: false };
const plain: SelectableDevice = {
  name: "r1",
  host: "2001:db8::1",
  platform: null,
  driver: null,
  site: null,
  role: null,
  tags: [],
  group: null,
  groups: [],
  enabled: true,
  credential: null,
  vars: {},
};

test.each([
  "all",
  "name:ber-acc-01",
  "NAME:BER-*-0?",
  "host:10.1.2.3",
  "host:10.1.0.0/16",
  "host:192.0.2.1,10.1.*",
  'site:"new york"',
  "site:new?york",
  "role:core,access",
  "tag:spare",
  "group:europe",
  "platform:cisco_*",
  "driver:netmiko",
  "credential:kept:tacacs",
  "enabled:true",
  "var.ntp.server:192.0.2.*",
  "var.vlans:20",
  "var.ring:blue",
  "var.ntp:*",
  "role:access tag:lab",
  "role:core tag:lab or role:access",
  "not role:core and not (tag:x or site:y)",
  "not not all",
  "  (  (all) ) ",
])("selector %s matches the device", (text) => {
  expect(readSelector(text).matches(device)).toBe(true);
});

test.each([
  "not all",
  "name:ber-acc",
  'name:"ber*"',
  "host:10.2.0.0/16",
  "tag:lab tag:other",
  "not role:core and not (tag:lab or site:y)",
  "role:core or tag:other and role:access",
  "var.ntp.server.x:*",
  "var.none:*",
  "var.constructor:*",
  "site:york",
  "enabled:false",
])("selector %s does not match the device", (text) => {
  expect(readSelector(text).matches(device)).toBe(false);
});

test.each([
  ["host:2001:db8::1", true],
  ["host:2001:0db8:0::0001", true],
  ["host:2001:db8::/32", true],
  ["host:10.0.0.0/8", false],
  ["site:*", false],
  ["not site:*", true],
  ["credential:*", false],
])("only `not` matches a field that is not set: %s", (text, expected) => {
  expect(readSelector(text).matches(plain)).toBe(expected);
});

test.each([
  ["all", false],
  ["name:off", false],
  ["not enabled:true", false],
  ["not name:other", false],
  ["enabled:false", true],
  ["enabled:*", true],
  ["role:access enabled:false", true],
  ["role:access or role:core enabled:false", false],
  ["role:core or role:access enabled:false", true],
  ["role:access (tag:lab or enabled:false)", true],
  ["role:access (tag:lab or enabled:false tag:none)", false],
  ["not (role:core or enabled:false)", false],
])("a disabled device is matched only if the selector mentions enabled: %s", (text, expected) => {
  expect(readSelector(text).matches(off)).toBe(expected);
});

test.each([
  ["", 1, "is empty"],
  ["site:", 6, "needs a value"],
  ["site: berlin", 6, "needs a value"],
  ["site:a,", 8, "needs a value"],
  ["berlin", 1, "name:berlin"],
  ["site:a or", 10, 'after "or"'],
  ["or site:a", 1, "a term is missing"],
  ["not", 4, 'after "not"'],
  ["(site:a", 8, "character 1 is not closed"],
  ["site:a)", 7, "closes nothing"],
  ["()", 2, 'after "("'],
  ["colour:red", 1, 'no field "colour"'],
  ["site:a and colour:red", 12, 'no field "colour"'],
  ["constructor:x", 1, "no field"],
  ["host:10.0.0.0/99", 6, "not a range"],
  ["enabled:maybe", 9, "true, false or *"],
  ['site:"new york', 6, "no end"],
  ["site:a;b", 7, "quotes"],
  ["var.:x", 1, "name of a variable"],
  ["=1", 1, "does not start a term"],
  [`site:${"a".repeat(4_092)}`, 4_097, "longer than 4096"],
  [`all or name:${"a,".repeat(500)}a`, 8, "more than 500 terms"],
  [`${"(".repeat(66)}all`, 66, "more than 64 deep"],
  [`${"not ".repeat(65)}all`, 257, "more than 64 deep"],
])("an invalid selector is rejected with the position of the error (%#)", (text, position, message) => {
  const issue = issueOf(text);
  expect(issue).toEqual({ path: "select", message: expect.stringContaining(message), position });
});

test("any text is read as a selector or rejected with a position in it", () => {
  const words = [
    "site:a",
    "or",
    "and",
    "not",
    "(",
    ")",
    '"x',
    "host:10.0.0.0/8",
    ",",
    "tag:*",
    "name:a?*b",
    "var.a.b:1",
  ];
  const mixed = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((all) => all.join(" "));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), mixed), (text) => {
      const issue = issueOf(text);
      if (issue === undefined) return readSelector(text).matches(off) !== undefined;
      return issue.position >= 1 && issue.position <= text.length + 1 && issue.message.length < 400;
    }),
    { numRuns: runs(300) },
  );
});

test("and, or and not combine selectors as in set logic", () => {
  const term = fc.constantFrom("site:a", "site:b", "tag:x", "name:n*", "host:10.0.0.0/8", "all", "var.k:1");
  const devices = fc.record({
    site: fc.constantFrom("a", "b", null),
    tags: fc.subarray(["x", "y"]),
    name: fc.constantFrom("n1", "m"),
    host: fc.constantFrom("10.0.0.1", "r1"),
    vars: fc.constantFrom({}, { k: 1 }),
  });
  fc.assert(
    fc.property(term, term, devices, (a, b, fields) => {
      const generated = { ...plain, ...fields };
      const chooses = (text: string) => readSelector(text).matches(generated);
      const [first, second] = [chooses(a), chooses(b)];
      expect(chooses(`${a} and ${b}`)).toBe(first && second);
      expect(chooses(`${a} ${b}`)).toBe(first && second);
      expect(chooses(`${a} or ${b}`)).toBe(first || second);
      expect(chooses(`not (${a} or ${b})`)).toBe(!first && !second);
    }),
    { numRuns: runs(200) },
  );
});

function issueOf(text: string): { position: number; message: string } | undefined {
  try {
    readSelector(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "Validation") throw error;
    const [issue] = JSON.parse(JSON.stringify(error.detail?.issues));
    return issue;
  }
}
