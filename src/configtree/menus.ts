/**
 * Configurations of menus, as RouterOS has them: each menu has settings of its own, entries that commands add, and entries
 * that are there by themselves, such as the ports.
 */
import { shownLine } from "./lines.ts";
import { type MenuCommand, readCommand, readSearch, type Search, wholeCommand } from "./menu-text.ts";
import type { Foretold, Refusal } from "./outcome.ts";
import { anyOf, type MenuRules, type TreeRules } from "./rules.ts";
import { parseTree } from "./tree.ts";

export interface MenuItem {
  readonly values: Map<string, string>;
  /** Of one that nobody adds: by what commands find it. */
  readonly fixed: ReadonlyMap<string, string> | undefined;
}

export interface Menu {
  readonly path: string;
  readonly own: Map<string, string>;
  /** In their order. */
  items: Set<MenuItem>;
}

/** Whether lines are commands of menus. */
export const hasMenus = ({ shape }: TreeRules) => shape === "menus";

type MenuFacts = ReturnType<typeof menuFacts>;

export function menuFacts({ keys = [], ordered, defaults = [], named, references = [] }: MenuRules = {}) {
  const isOrdered = anyOf(ordered);
  const isNamed = anyOf(named);
  const known = new Map<string, { keys: readonly string[]; defaults: ReadonlyMap<string, string> }>();
  const factsOf = (menu: string) => {
    const found = known.get(menu);
    if (found !== undefined) return found;
    const own = new Map([
      ["disabled", "no"],
      ["comment", '""'],
    ]);
    for (const one of defaults)
      if (one.menu.test(menu)) for (const [name, value] of Object.entries(one.values)) own.set(name, value);
    const made = { keys: keys.find((one) => one.menu.test(menu))?.keys ?? ["name"], defaults: own };
    known.set(menu, made);
    return made;
  };
  /** A value, also of what is so without being said. */
  const valueIn = ({ values, fixed }: MenuItem, menu: string, name: string): string | undefined =>
    values.get(name) ?? fixed?.get(name) ?? defaultOf(menu, name, { values, fixed });
  /** @param item one that is there by itself may have defaults of its own: `/ip service ssh` */
  function defaultOf(menu: string, name: string, item?: MenuItem): string | undefined {
    const port = name === "name" ? item?.fixed?.get("default-name") : undefined;
    if (port !== undefined) return port;
    const own = item?.fixed?.get("name");
    return (
      (own === undefined ? undefined : factsOf(`${menu} ${own}`).defaults.get(name)) ??
      factsOf(menu).defaults.get(name)
    );
  }
  return {
    isOrdered,
    isNamed,
    references: new Set(references),
    defaultOf,
    valueIn,
    /** What an entry is known by; undefined: by all that it says. */
    keyOf(item: MenuItem, menu: string): string | undefined {
      if (item.fixed !== undefined) return `fixed ${pairs(item.fixed)}`;
      const all = factsOf(menu).keys.map((name) => [name, valueIn(item, menu, name)] as const);
      if (all.every(([, value]) => value === undefined)) return undefined;
      return all.map(([name, value]) => (value === undefined ? "" : `${name}=${value}`)).join(" ");
    },
    keysOf: (menu: string) => factsOf(menu).keys,
  };
}

export const pairs = (values: ReadonlyMap<string, string>) =>
  [...values].map(([name, value]) => `${name}=${value}`).join(" ");

/** All that an entry says, however it is written. */
export const contentOf = (item: MenuItem, facts: MenuFacts, menu: string) =>
  [...item.values]
    .filter(([name, value]) => facts.defaultOf(menu, name, item) !== value)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");

interface MenuConfiguration {
  readonly menus: ReadonlyMap<string, Menu>;
  /** @param here the menu that it is given in */
  take(command: MenuCommand): MenuTaken;
  text(): string;
  /** The entries that a command is about; undefined: nobody knows. */
  found(menu: string, on: string): readonly MenuItem[] | undefined;
}

type MenuTaken = Pick<Foretold, "effect" | "refusal" | "meant">;

/** Takes linear time. */
export function takeMenus(text: string, rules: TreeRules): MenuConfiguration {
  const facts = menuFacts(rules.menus);
  const isFixed = anyOf(rules.menus?.fixed);
  const menus = new Map<string, Menu>();
  const isIgnored = anyOf(rules.ignore);
  /** By menu, and a property with its value. */
  const index = new Map<string, Set<MenuItem>>();
  const byKey = new Map<string, MenuItem>();
  let isTerse = true;
  let isReading = true;

  function menuOf(path: string): Menu {
    const known = menus.get(path);
    if (known !== undefined) return known;
    const menu: Menu = { path, own: new Map(), items: new Set() };
    menus.set(path, menu);
    return menu;
  }

  function note(menu: string, item: MenuItem, isThere: boolean): void {
    for (const [name, value] of [...item.values, ...(item.fixed ?? [])]) {
      const place = `${menu} ${name}=${value}`;
      const all = index.get(place) ?? new Set();
      if (isThere) index.set(place, all.add(item));
      else all.delete(item);
    }
    const key = facts.keyOf(item, menu);
    if (key === undefined) return;
    if (isThere) byKey.set(`${menu} ${key}`, item);
    else if (byKey.get(`${menu} ${key}`) === item) byKey.delete(`${menu} ${key}`);
  }

  function searched(menu: Menu, { wanted, pick }: Search): MenuItem[] {
    let among: ReadonlySet<MenuItem> = menu.items;
    for (const [name, value] of wanted) {
      const all = index.get(`${menu.path} ${name}=${value}`);
      const isImplied = facts.defaultOf(menu.path, name) === value || name === "name";
      if (all === undefined && !isImplied) return [];
      if (all !== undefined && !isImplied && all.size < among.size) among = all;
    }
    const all = [...among].filter((item) =>
      [...wanted].every(([name, value]) => facts.valueIn(item, menu.path, name) === value),
    );
    if (pick === undefined) return all;
    // In the order of the menu, not of the index.
    const places = [...menu.items].filter((item) => all.includes(item));
    return places.slice(pick, pick + 1);
  }

  function found(path: string, on: string): readonly MenuItem[] | undefined {
    const menu = menuOf(path);
    if (on.startsWith("[")) {
      const search = readSearch(on);
      return search && searched(menu, search);
    }
    if (/^[*$(]/.test(on)) return undefined;
    return on
      .replace(/^"(.*)"$/s, "$1")
      .split(",")
      .flatMap((name) => {
        const named = searched(menu, { wanted: new Map([["name", name]]), pick: undefined });
        return named.length === 0 && /^\d+$/.test(name)
          ? [...menu.items].slice(Number(name), Number(name) + 1)
          : named;
      });
  }

  /** One that is there by itself, and of which nothing was said until now. */
  function fixedBy(path: string, on: string): MenuItem[] {
    const wanted = on.startsWith("[") ? readSearch(on)?.wanted : new Map([["name", on]]);
    const isOwn =
      wanted !== undefined &&
      [...wanted.keys()].some((name) => name === "default-name" || name === "default");
    if (wanted === undefined || !(isReading || isOwn || isFixed(path))) return [];
    const item: MenuItem = { values: new Map(), fixed: wanted };
    menuOf(path).items.add(item);
    note(path, item, true);
    return [item];
  }

  const meaning = (path: string, verb: string, item: MenuItem | undefined, changes = "") =>
    `${path} ${verb} ${statement(item)} ${changes}`.trim();

  function take(command: MenuCommand): MenuTaken {
    const { menu: path, verb, values } = command;
    if (verb === "") return { effect: "enters" };
    const on = command.on;
    if (verb === "add") return add(path, values);
    if (verb === "set" && on === undefined) return setOwn(path, values);
    if (on === undefined) return { effect: "unclear" };
    let items = found(path, on);
    if (items === undefined) return { effect: "unclear" };
    const isSetting =
      verb === "set" || verb === "enable" || verb === "disable" || verb === "comment" || verb === "unset";
    if (items.length === 0 && isSetting) items = fixedBy(path, on);
    if (items.length === 0) {
      const refusal: Refusal = { why: "absent", of: `${path} ${on}` };
      // A search that finds nothing is no fault of a command.
      return on.startsWith("[") ? { effect: "nothing" } : { effect: "nothing", refusal };
    }
    if (verb === "remove") return remove(path, items, on);
    if (verb === "move") return move(path, items, values.get("destination"));
    if (!isSetting) return { effect: "unclear" };
    const given: ReadonlyMap<string, string | null> =
      verb === "enable" || verb === "disable"
        ? new Map([["disabled", verb === "disable" ? "yes" : "no"]])
        : values;
    return setItems(path, items, given);
  }

  function add(path: string, values: MenuCommand["values"]): MenuTaken {
    const menu = menuOf(path);
    const { "place-before": before, "copy-from": copied } = Object.fromEntries(values);
    if (copied !== undefined) return { effect: "unclear" };
    const said = [...values].flatMap(([name, value]) =>
      value === null || name === "place-before" ? [] : [[name, value] as const],
    );
    const item: MenuItem = { values: new Map(said), fixed: undefined };
    const key = facts.keyOf(item, path);
    const second = key === undefined || isReading ? undefined : byKey.get(`${path} ${key}`);
    if (second !== undefined) return { effect: "nothing", refusal: { why: "second", of: `${path} ${key}` } };
    menu.items.add(item);
    note(path, item, true);
    if (before !== undefined && before !== null) {
      const [beside] = found(path, before) ?? [];
      if (beside !== undefined) place(menu, [item], beside);
    }
    return { effect: "adds", meant: [meaning(path, "add", item)] };
  }

  function setOwn(path: string, values: MenuCommand["values"]): MenuTaken {
    const { own } = menuOf(path);
    let isOther = false;
    for (const [name, value] of values) {
      const isNone = value === null || value === (facts.defaultOf(path, name) ?? '""');
      if (isNone ? !own.has(name) : own.get(name) === value) continue;
      isOther = true;
      if (isNone && !isReading) own.delete(name);
      else if (value !== null) own.set(name, value);
    }
    return isOther
      ? { effect: "replaces", meant: [meaning(path, "set", undefined, changesText(values))] }
      : { effect: "nothing" };
  }

  const changesText = (values: MenuCommand["values"]) =>
    [...values].map(([name, value]) => (value === null ? `!${name}` : `${name}=${value}`)).join(" ");

  function setItems(path: string, items: readonly MenuItem[], values: MenuCommand["values"]): MenuTaken {
    const meant: string[] = [];
    for (const item of items) {
      const isOther = [...values].some(([name, value]) => {
        const now = facts.valueIn(item, path, name);
        return value === null ? now !== undefined && item.values.has(name) : now !== value;
      });
      if (!isOther && !isReading) continue;
      meant.push(meaning(path, "set", item, changesText(values)));
      const was = facts.valueIn(item, path, "name");
      note(path, item, false);
      for (const [name, value] of values) {
        const isNone = value === null || (!isReading && value === facts.defaultOf(path, name, item));
        if (isNone) item.values.delete(name);
        else item.values.set(name, value);
      }
      note(path, item, true);
      const name = facts.valueIn(item, path, "name");
      if (!isReading && facts.isNamed(path) && was !== undefined && name !== undefined && was !== name)
        renamed(was, name);
    }
    return meant.length === 0 ? { effect: "nothing" } : { effect: "replaces", meant };
  }

  /** Others name it by itself, not by its name. */
  function renamed(was: string, name: string): void {
    for (const { path, items } of menus.values())
      for (const item of items)
        for (const property of facts.references) {
          const value = item.values.get(property);
          if (value === undefined || !value.split(",").includes(was)) continue;
          note(path, item, false);
          item.values.set(
            property,
            value
              .split(",")
              .map((one) => (one === was ? name : one))
              .join(","),
          );
          note(path, item, true);
        }
  }

  function remove(path: string, items: readonly MenuItem[], on: string): MenuTaken {
    const { items: all } = menuOf(path);
    const removable = items.filter(({ fixed }) => fixed === undefined);
    if (removable.length === 0)
      return { effect: "nothing", refusal: { why: "absent", of: `${path} ${on}, which can be removed` } };
    for (const item of removable) {
      all.delete(item);
      note(path, item, false);
    }
    return { effect: "removes", meant: removable.map((item) => meaning(path, "remove", item)) };
  }

  function move(path: string, items: readonly MenuItem[], destination: string | null | undefined): MenuTaken {
    const menu = menuOf(path);
    const beside = typeof destination === "string" ? found(path, destination) : [];
    if (beside === undefined) return { effect: "unclear" };
    place(menu, items, beside[0]);
    return { effect: "replaces", meant: items.map((item) => meaning(path, "move", item)) };
  }

  /** Without another one: behind all. */
  function place(menu: Menu, moved: readonly MenuItem[], before: MenuItem | undefined): void {
    if (before !== undefined && moved.includes(before)) return;
    const rest = [...menu.items].filter((item) => !moved.includes(item));
    const at = before === undefined ? rest.length : rest.indexOf(before);
    menu.items = new Set([...rest.slice(0, at), ...moved, ...rest.slice(at)]);
  }

  const read = (nodes: ReturnType<typeof parseTree>, here: string): void => {
    for (const { isNote, lines, children } of nodes) {
      if (isNote) continue;
      const line = wholeCommand(lines.map(shownLine));
      const command = isIgnored(line) ? undefined : readCommand(line, here);
      if (command === undefined) continue;
      if (!command.isFull) isTerse = false;
      take(command);
      read(children, command.menu);
    }
  };
  read(parseTree(text, rules), "/");
  isReading = false;

  return {
    menus,
    take,
    found,
    text: () => menuText([...menus.values()], isTerse),
  };
}

/** @param isTerse each command names its menu */
function menuText(menus: readonly Menu[], isTerse: boolean): string {
  const lines: string[] = [];
  for (const { path, own, items } of menus) {
    const commands = [
      ...(own.size === 0 ? [] : [`set ${pairs(own)}`]),
      ...[...items].flatMap(({ values, fixed }) => {
        if (fixed === undefined) return [`add ${pairs(values)}`];
        return values.size === 0 ? [] : [`set ${fixedText(fixed)} ${pairs(values)}`];
      }),
    ];
    if (commands.length === 0) continue;
    if (isTerse) for (const command of commands) lines.push(`${path} ${command}`);
    else lines.push(path, ...commands);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** As the system writes it: a service by its name, a port by a search. */
export function fixedText(fixed: ReadonlyMap<string, string>): string {
  const name = fixed.size === 1 ? fixed.get("name") : undefined;
  return name ?? `[ find ${pairs(fixed)} ]`;
}

/** What an entry has: `{ address=192.0.2.1/24 interface=ether1 }`. */
const statement = (item: Pick<MenuItem, "values" | "fixed"> | undefined) =>
  `{ ${pairs(new Map([...(item?.fixed ?? []), ...(item?.values ?? [])]))} }`;

/** What the configuration has, one statement for each entry in force, behind its menu. */
export function menuStatements(text: string, rules: TreeRules): string[] {
  const { menus } = takeMenus(text, rules);
  return [...menus.values()].flatMap(({ path, own, items }) => [
    ...(own.size === 0 ? [] : [`${path} ${statement({ values: own, fixed: undefined })}`]),
    ...[...items]
      .filter(({ values }) => values.get("disabled") !== "yes")
      .map((item) => `${path} ${statement(item)}`),
  ]);
}

/** A configuration of menus that takes lines one after the other. */
export function menuCursor(configuration: MenuConfiguration) {
  let here = "/";
  return {
    path: (): readonly string[] => (here === "/" ? [] : [here]),
    /** @returns undefined for a line that says nothing */
    take(block: readonly string[]): Omit<Foretold, "line"> | undefined {
      const line = wholeCommand(block);
      if (line === "" || line.startsWith("#")) return undefined;
      if (line === "/" || line === "..") {
        const path = here === "/" ? [] : [here];
        here = line === "/" ? "/" : `/${here.slice(1).split(" ").slice(0, -1).join(" ")}`;
        return { effect: "leaves", path };
      }
      const command = readCommand(line, here);
      const path = command?.isFull === true || here === "/" ? [] : [here];
      if (command === undefined) return { effect: "unclear", path };
      if (command.verb === "") here = command.menu;
      return { ...configuration.take(command), path };
    },
  };
}
