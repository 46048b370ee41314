/** Configurations of menus, as RouterOS exports them. */
import { expect, test } from "vitest";
import { routerosRunning } from "../../plugins/platforms/family/running.ts";
import { apply } from "../../src/configtree/apply.ts";
import { readSearch, wholeCommand } from "../../src/configtree/menu-text.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import { parseTree, writeTree } from "../../src/configtree/tree.ts";
import { playLines } from "../../src/twin/play.ts";
import { simulatedDevice } from "../testkit/simulator/simulated-device.ts";
import { randomFrom } from "./frr-configurations.ts";
import { routeros, routerosTerse } from "./systems/routeros.ts";

const rules = routerosRunning;
const linesBetween = (from: string, to: string) => remediate(from, to, rules).lines;

test.each([routeros, routerosTerse])(
  "an export, read and written again, is the same, cut wherever",
  ({ make, lines }) => {
    for (let seed = 1; seed <= 20; seed++) {
      const device = make();
      device.push(lines(randomFrom(seed)));
      const text = device.running();
      expect(writeTree(parseTree(text, rules))).toBe(text);
      const cut = text.slice(0, Math.floor((text.length * seed) / 21));
      expect(writeTree(parseTree(cut, rules))).toBe(cut);
    }
  },
);

test("both forms of an export, in lines of any length, mean the same", () => {
  const [grouped, terse] = [routeros.make(), routerosTerse.make()];
  for (const device of [grouped, terse]) device.push(routeros.lines(randomFrom(7)));
  expect(linesBetween(grouped.running(), terse.running())).toEqual([]);
  expect(linesBetween(terse.running(), grouped.running())).toEqual([]);
});

test("a command of very many lines, a search of blanks and picks of picks take no longer than they are long", () => {
  const lines = 200_000;
  const whole = wholeCommand(["/ip address \\", ...Array.from({ length: lines }, () => "  a\\"), "  b"]);
  expect(whole).toBe(`/ip address ${"a".repeat(lines)}b`);
  const blanks = " ".repeat(100_000);
  expect(readSearch(`[${blanks}`)).toBeUndefined();
  expect(readSearch(`[ find${blanks}name=a${blanks}]`)?.wanted.get("name")).toBe("a");
  const nested = (depth: number) => `${"[ :pick ".repeat(depth)}[ find name=a ]${" 1 ]".repeat(depth)}`;
  expect(readSearch(nested(1))).toEqual({ wanted: new Map([["name", "a"]]), pick: 1 });
  expect(readSearch(nested(100_000))).toBeUndefined();
});

test.each([
  [["a\\", "b"], "ab"],
  [["a\\\\", "b"], "a\\\\ b"],
  [["a\\\\\\", "\\", "  c"], "a\\\\c"],
  [["  a", "", "b  "], "a  b"],
])("the lines %j are one command", (lines, whole) => {
  expect(wholeCommand(lines)).toBe(whole);
});

test("what others name by itself follows its new name", () => {
  const from = "/ip address add address=192.0.2.1/24 interface=ether1\n";
  const to =
    "/interface ethernet set [ find default-name=ether1 ] name=wan\n/ip address add address=192.0.2.1/24 interface=wan\n";
  expect(linesBetween(from, to)).toEqual(["/interface ethernet set [ find default-name=ether1 ] name=wan"]);
  expect(linesBetween(to, from)).toEqual([
    "/interface ethernet set [ find default-name=ether1 ] name=ether1",
  ]);
});

test("a rule lets in before another one is gone, and of rules that say the same one is meant", () => {
  const rule = (words: string) => `/ip firewall filter add chain=input ${words}\n`;
  const [old, fresh, drop] = ["src-address=10.1.0.0/16", "src-address=10.2.0.0/16", "action=drop"].map(rule);
  expect(linesBetween(`${old}${drop}`, `${fresh}${drop}`)).toEqual([
    "/ip firewall filter add chain=input src-address=10.2.0.0/16",
    "/ip firewall filter move [ find chain=input src-address=10.2.0.0/16 ] destination=[ find chain=input action=drop ]",
    "/ip firewall filter remove [ find chain=input src-address=10.1.0.0/16 ]",
  ]);
  const [lines] = [linesBetween(`${drop}${old}${drop}`, `${drop}${old}`)];
  expect(lines).toHaveLength(1);
  expect(apply(`${drop}${old}${drop}`, lines, rules).text).toBe(`${drop}${old}`);
});

test("a twin takes what it knows, and says what it does not", () => {
  const text = "/ip address add address=192.0.2.1/24 interface=ether1\n/user add group=full name=ada\n";
  const played = playLines(
    text,
    [
      "/ip address",
      "add address=192.0.2.9/24 \\",
      "    interface=ether1",
      "add address=192.0.2.1/24 interface=ether1",
      "/user remove bob",
      "/user set ada shell=none",
      "/routing bgp connection add name=x",
    ],
    { rules, modes: [] },
  );
  expect(played.refused.map(({ line }) => line)).toEqual([4, 5]);
  expect(played.unknown.map(({ line }) => line)).toEqual([6, 7]);
  expect(played.left).toContain("/ip address add address=192.0.2.9/24 interface=ether1\n");
});

test("a simulated router exports what was set, refuses what a real one refuses, and shows its menu", () => {
  const { terminal, taken } = simulatedDevice("mikrotik_routeros");
  const answer = (line: string) => {
    taken();
    terminal.type(`${line}\r\n`);
    return taken();
  };
  expect(answer("/ip address add address=198.51.100.9/24 interface=ether2")).not.toMatch(
    /failure|bad command/,
  );
  expect(answer("/ip address add address=198.51.100.9/24 interface=ether2")).toContain(
    "failure: already have",
  );
  expect(answer("/ip adress add address=198.51.100.8/24")).toContain("bad command name");
  expect(answer("/ip route")).toContain("/ip route> ");
  expect(answer("add dst-address=10.0.0.0/8 gateway=192.0.2.30")).not.toContain("failure");
  const shown = answer("/export terse show-sensitive");
  expect(shown).toContain("by RouterOS 7.12.1");
  expect(shown).toContain("/ip address add address=198.51.100.9/24 interface=ether2");
  expect(shown).toContain("/ip route add dst-address=10.0.0.0/8 gateway=192.0.2.30");
});
