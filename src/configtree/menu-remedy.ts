/** Commands that turn one configuration of menus into another, and what commands would leave. */
import { goesOn, readCommand } from "./menu-text.ts";
import {
  contentOf,
  fixedText,
  type Menu,
  type MenuItem,
  menuCursor,
  menuFacts,
  pairs,
  takeMenus,
} from "./menus.ts";
import { longestRising } from "./moves.ts";
import type { Doubt, Foretold, Prediction, Remediation } from "./outcome.ts";
import type { TreeRules } from "./rules.ts";

/**
 * What is missing is added first, and what is no longer wanted is removed last, the last line first: where rules of a firewall
 * are exchanged, the new ones let in before the old ones are gone. Takes time linear in the lengths, but where many entries
 * say the same.
 */
export function remediateMenus(from: string, to: string, rules: TreeRules): Remediation {
  const facts = menuFacts(rules.menus);
  const wanted = takeMenus(to, rules);
  const now = takeMenus(from, rules);
  const lines: string[] = [];
  const doubts = new Set<Doubt>();
  /** Of menus that are wanted: the entries that are not. */
  const unwanted = new Map<string, ReadonlySet<MenuItem>>();

  function emit(line: string): void {
    lines.push(line);
    const command = readCommand(line, "/");
    if (command !== undefined) now.take(command);
  }

  /** How a command finds an entry that is there now, and no other one. */
  function handleOf(menu: Menu, item: MenuItem): string {
    if (item.fixed !== undefined) return fixedText(item.fixed);
    const known = facts.keysOf(menu.path).flatMap((name) => {
      const value = facts.valueIn(item, menu.path, name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const isKnown = facts.keyOf(item, menu.path) !== undefined && known.length > 0;
    const said = isKnown ? new Map(known) : item.values;
    const search = `[ find ${pairs(said)} ]`;
    const all = now.found(menu.path, search) ?? [];
    if (all.length <= 1) return search;
    const inOrder = [...menu.items].filter((one) => all.includes(one));
    return `[ :pick ${search} ${inOrder.indexOf(item)} ]`;
  }

  /** Properties that differ, as a command sets them. */
  function changes(
    have: ReadonlyMap<string, string>,
    want: ReadonlyMap<string, string>,
    path: string,
    of?: MenuItem,
  ): string[] {
    const said = [...want].flatMap(([name, value]) =>
      (have.get(name) ?? facts.defaultOf(path, name, of)) === value ? [] : [`${name}=${value}`],
    );
    const gone = [...have].flatMap(([name, value]) => {
      if (want.has(name)) return [];
      const otherwise = facts.defaultOf(path, name, of);
      if (otherwise === value) return [];
      return [otherwise === undefined ? `!${name}` : `${name}=${otherwise}`];
    });
    return [...said, ...gone];
  }

  /** Pairs of what is there and what is wanted, by their keys, else by all that they say. */
  function matched(menu: Menu | undefined, other: Menu | undefined, path: string) {
    const keyOf = (item: MenuItem) => facts.keyOf(item, path) ?? `= ${contentOf(item, facts, path)}`;
    const waiting = Map.groupBy([...(menu?.items ?? [])].reverse(), keyOf);
    const partners = new Map<MenuItem, MenuItem>();
    for (const item of other?.items ?? []) {
      const found = waiting.get(keyOf(item))?.pop();
      if (found !== undefined) partners.set(item, found);
    }
    return { partners, left: new Set([...waiting.values()].flat()) };
  }

  function rename(): void {
    for (const [path, menu] of now.menus) {
      if (!facts.isNamed(path)) continue;
      const { partners, left } = matched(menu, wanted.menus.get(path), path);
      const ports = [...left].filter(({ fixed }) => fixed !== undefined);
      for (const [want, have] of [...partners, ...ports.map((item) => [undefined, item] as const)]) {
        const was = facts.valueIn(have, path, "name");
        const name =
          want === undefined ? facts.defaultOf(path, "name", have) : facts.valueIn(want, path, "name");
        if (was !== undefined && name !== undefined && was !== name)
          emit(`${path} set ${handleOf(menu, have)} name=${name}`);
      }
    }
  }

  function settle(path: string, menu: Menu): void {
    const current = now.menus.get(path) ?? { path, own: new Map(), items: new Set<MenuItem>() };
    const own = changes(current.own, menu.own, path).map((one) => one.replace(/^!(.*)$/, '$1=""'));
    if (own.length > 0) emit(`${path} set ${own.join(" ")}`);
    const { partners, left } = matched(current, menu, path);
    unwanted.set(path, left);
    // What is known by all that it says may stand in the way of what comes in its place.
    const isOrdered = facts.isOrdered(path);
    for (const item of isOrdered ? [] : left)
      if (item.fixed === undefined && facts.keyOf(item, path) === undefined) removeItem(current, item);
    const placed: MenuItem[] = [];
    for (const want of menu.items) {
      const have = partners.get(want);
      if (have === undefined) {
        if (want.fixed !== undefined) emit(`${path} set ${fixedText(want.fixed)} ${pairs(want.values)}`);
        else emit(`${path} add ${pairs(want.values)}`);
        const last = [...(now.menus.get(path)?.items ?? [])].at(-1);
        if (last !== undefined) placed.push(last);
        continue;
      }
      placed.push(have);
      const other = changes(have.values, want.values, path, have);
      if (other.length > 0) emit(`${path} set ${handleOf(current, have)} ${other.join(" ")}`);
    }
    if (isOrdered) arrange(path, placed);
  }

  /** Moves entries, the last one first: each before the one that is to follow it. */
  function arrange(path: string, placed: readonly MenuItem[]): void {
    const menu = now.menus.get(path);
    if (menu === undefined) return;
    const places = new Map([...menu.items].map((item, at) => [item, at]));
    const kept = longestRising(placed.map((item) => places.get(item) ?? -1));
    for (let at = placed.length - 1; at >= 0; at--) {
      const item = placed[at];
      if (item === undefined || kept.has(at)) continue;
      const next = placed[at + 1];
      const destination = next === undefined ? "" : ` destination=${handleOf(menu, next)}`;
      doubts.add("ordered");
      emit(`${path} move ${handleOf(menu, item)}${destination}`);
    }
  }

  function removeItem(menu: Menu, item: MenuItem): void {
    emit(`${menu.path} remove ${handleOf(menu, item)}`);
  }

  rename();
  for (const [path, menu] of wanted.menus) settle(path, menu);
  for (const [path, menu] of [...now.menus].reverse()) {
    const left = unwanted.get(path) ?? menu.items;
    if (!wanted.menus.has(path)) {
      const own = changes(menu.own, new Map(), path).map((one) => one.replace(/^!(.*)$/, '$1=""'));
      if (own.length > 0) emit(`${path} set ${own.join(" ")}`);
    }
    for (const item of [...menu.items].reverse()) {
      if (!left.has(item)) continue;
      if (item.fixed === undefined) {
        if (facts.isOrdered(path)) doubts.add("ordered");
        removeItem(menu, item);
        continue;
      }
      const other = changes(item.values, new Map(), path, item);
      if (other.length > 0) emit(`${path} set ${fixedText(item.fixed)} ${other.join(" ")}`);
    }
  }
  return { lines, doubts: [...doubts] };
}

/** Takes linear time. */
export function applyMenus(text: string, lines: readonly string[], rules: TreeRules): Prediction {
  const configuration = takeMenus(text, rules);
  const { take } = menuCursor(configuration);
  const foretold: Foretold[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end + 1 < lines.length && goesOn(lines[end] ?? "")) end++;
    const told = take(lines.slice(at, end + 1));
    if (told !== undefined) foretold.push({ line: at + 1, ...told });
    at = end + 1;
  }
  return { text: configuration.text(), lines: foretold };
}
