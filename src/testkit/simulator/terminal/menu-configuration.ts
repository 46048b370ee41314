/** A simulated device whose lines are commands of menus: its configuration, and what it says to each. */
import { treeRules } from "../../../configtext/rules.ts";
import { readCommand, wholeCommand } from "../../../configtree/menu-text.ts";
import { menuCursor, takeMenus } from "../../../configtree/menus.ts";
import type { Running } from "../../../plugin/platform.ts";
import type { Reaction } from "../reaction.ts";
import type { Configuration } from "./configuration.ts";

export interface MenuDevice {
  readonly configuration: Configuration;
  /** One for each session. */
  session(): MenuSession;
}

interface MenuSession {
  /** @returns undefined: no command of a menu */
  take(line: string): Reaction | undefined;
  /** `/ip address`; empty at the root. */
  menu(): string;
}

const ip =
  "address arp cloud dhcp-client dhcp-relay dhcp-server dns firewall hotspot ipsec kid-control nat-pmp neighbor pool proxy route service settings smb socks ssh tftp traffic-flow upnp vrf";
const system =
  "clock console health history identity leds license logging note ntp package resource routerboard scheduler script upgrade watchdog";
const below = (words: string) => `(?: (?:${words.replaceAll(" ", "|")})(?: |$)|$)`;

/** Menus, and those below which all others are. */
const roots = new RegExp(
  `^/(?:ip${below(ip)}|system${below(system)}|(?:caps-man|certificate|console|container|disk|file|interface|ipv6|iot|log|mpls|partitions|port|ppp|queue|radius|routing|snmp|special-login|task|tool|user|user-manager|zerotier)(?: |$))`,
);

export function createMenuDevice(first: readonly string[], running: Running): MenuDevice {
  const rules = treeRules(running);
  const notes = first.filter((line) => line.startsWith("#"));
  let state = takeMenus(first.join("\n"), rules);

  function said(line: string, cursor: ReturnType<typeof menuCursor>): Reaction | undefined {
    const block = line.split("\n");
    // Scripts are run, and nothing of them is known here.
    if (line.startsWith(":")) return { output: "" };
    const command = readCommand(wholeCommand(block), cursor.path()[0] ?? "/");
    // The tests of all platforms send lines that are commands of none.
    if (command?.verb === "" && !line.startsWith("/") && !roots.test(command.menu)) return { output: "" };
    if (command !== undefined && command.menu !== "/" && !roots.test(command.menu)) return undefined;
    const told = cursor.take(block);
    if (told === undefined) return { output: "" };
    const { effect, refusal } = told;
    if (effect === "unclear") return undefined;
    if (refusal === undefined) return { output: "", about: "line" };
    return {
      output: refusal.why === "second" ? "failure: already have such item" : "no such item",
      about: "line",
    };
  }

  return {
    configuration: {
      add: (path, line) => {
        const cursor = menuCursor(state);
        for (const menu of path) cursor.take([menu]);
        cursor.take(line.split("\n"));
      },
      lines: () => [...notes, ...state.text().trimEnd().split("\n")],
      replace(lines) {
        state = takeMenus(lines.join("\n"), rules);
      },
    },
    session() {
      let of = state;
      let cursor = menuCursor(of);
      return {
        menu: () => cursor.path()[0] ?? "",
        take(line) {
          if (of !== state) [of, cursor] = [state, menuCursor(state)];
          return said(line, cursor);
        },
      };
    },
  };
}
