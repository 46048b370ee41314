/** What lines would change in a configuration. */
import { expect, test } from "vitest";
import { iosRunning } from "../../plugins/platforms/family/running.ts";
import { effectOfLines } from "../../src/configtext/effect.ts";

const ios = { ...iosRunning, negate: "no" };
const now = `hostname R1
!
interface Gi0/1
 description old
 ip address 10.0.0.1 255.255.255.0
 shutdown
!
interface Gi0/2
 description uplink
!
router bgp 1
 neighbor 10.0.0.9 remote-as 2
 address-family ipv4
  network 10.1.0.0
 exit-address-family
!
ntp server 192.0.2.1
ntp server 192.0.2.2
end
`;
const effect = (...lines: string[]) => effectOfLines(now, lines.join("\n"), ios);

test("lines that are there already change nothing, whatever their spaces", () => {
  expect(effect("ntp  server 192.0.2.1", "interface Gi0/2", " description  uplink")).toEqual({
    ...{ text: "", added: 0, removed: 0, present: 2, unclear: 0, isCut: false },
  });
});

test("new lines stand below their sections, and removals show what they remove", () => {
  expect(effect("interface Gi0/1", " no description", " mtu 9000", "no ntp server 192.0.2.2").text).toBe(
    [" interface Gi0/1", "- description old", "+ mtu 9000", "-ntp server 192.0.2.2"].join("\n"),
  );
  expect(effect("no ntp server").text).toBe("-ntp server 192.0.2.1\n-ntp server 192.0.2.2");
  expect(effect("router bgp 1", " address-family ipv4", "  network 10.2.0.0").text).toBe(
    [" router bgp 1", "  address-family ipv4", "+  network 10.2.0.0"].join("\n"),
  );
});

test("a section is removed with all its lines", () => {
  expect(effect("no interface Gi0/2")).toMatchObject({
    text: "-interface Gi0/2\n- description uplink",
    removed: 2,
  });
});

test("lines without indentation belong to the section before them", () => {
  expect(
    effect("interface Gi0/1", "description new", "no shutdown", "exit", "ntp server 192.0.2.3").text,
  ).toBe(
    [
      " interface Gi0/1",
      "- description old",
      "- shutdown",
      "+ description new",
      "+ntp server 192.0.2.3",
    ].join("\n"),
  );
  expect(effect("interface Lo9", "ip address 10.9.0.1 255.255.255.255", "ntp server 192.0.2.1").text).toBe(
    "+interface Lo9\n+ ip address 10.9.0.1 255.255.255.255",
  );
});

test("what is removed and added again is as before", () => {
  expect(effect("no ntp server 192.0.2.1", "ntp server 192.0.2.1").text).toBe("");
  expect(effect("ntp server 192.0.2.9", "no ntp server 192.0.2.9").text).toBe("");
  expect(effect("no interface Gi0/2", "interface Gi0/2", " mtu 9000").text).toBe(
    [" interface Gi0/2", "- description uplink", "+ mtu 9000"].join("\n"),
  );
});

test("of a removal that finds nothing nothing is claimed", () => {
  expect(effect("no ip domain lookup")).toMatchObject({
    text: "?no ip domain lookup",
    unclear: 1,
    removed: 0,
  });
});

test("commands of the form set are removed by their word", () => {
  const set = "set system host-name a\nset interfaces ge-0/0/0 mtu 1500\nset interfaces ge-0/0/0 disable\n";
  const rules = { shape: "set", negate: "delete" } as const;
  const lines = "delete interfaces ge-0/0/0 disable\nset system host-name a\nset snmp location b";
  expect(effectOfLines(set, lines, rules).text).toBe(
    "-set interfaces ge-0/0/0 disable\n+set snmp location b",
  );
});

test("many changed lines are counted, and the first are shown", () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `ntp server 10.0.${at >> 8}.${at & 255}`);
  const { text, added, isCut } = effect(...lines);
  expect([added, isCut, text.split("\n").length]).toEqual([3_000, true, 2_000]);
});

test("20,000 lines that remove what is not there are foretold in linear time", () => {
  const lines = (form: (at: number) => string) =>
    Array.from({ length: 20_000 }, (_, at) => form(at)).join("\n");
  const many = effectOfLines(
    lines((at) => `word${at} x`),
    lines((at) => `no other${at}`),
    ios,
  );
  expect(many).toMatchObject({ added: 0, removed: 0, present: 0, unclear: 20_000, isCut: true });
  // None of them belongs to the section, and none of these texts ends.
  const open = lines((at) =>
    at % 2 === 0 ? `word${at} x` : `banner motd ${String.fromCharCode(0x4e00 + at)}`,
  );
  expect(effectOfLines("interface a\n ip b\n", `interface a\n${open}`, ios)).toMatchObject({ isCut: true });
});
