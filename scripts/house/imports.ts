/** Checks imports: between rooms, through doors, and of libraries. */
import { readFileSync } from "node:fs";
import { assemblers, libraries } from "./library-rules.ts";
import { type Room, rooms } from "./rules.ts";
import { byName, holds, placeOf, roomOf, type SourceFile } from "./source.ts";

export function importFaults(sources: readonly SourceFile[]): string[] {
  return [
    ...sources.flatMap(fileFaults),
    ...staleDoors(sources),
    ...staleLeave(sources),
    ...unownedLibraries(),
    ...staleOwners(sources),
  ];
}

function fileFaults(source: SourceFile): string[] {
  const own = roomOf(source.path);
  const room = rooms[own];
  if (!room) return [`${source.path}: the room ${own} is not in scripts/house/rules.ts`];
  return [
    ...source.files.flatMap((target) => importFault(source.path, own, room, target)),
    ...source.names
      .filter((name) => !room.mayImport.includes(name))
      .map((name) => `${source.path}: ${own} must not import ${name} (scripts/house/rules.ts)`),
    ...source.packages.flatMap((library) => libraryFault(source.path, library)),
  ];
}

function importFault(path: string, own: string, room: Room, target: string): string[] {
  if (target === "package.json") return [];
  const other = roomOf(target);
  if (other === own) {
    const [mine, theirs] = [familyOf(path), familyOf(target)];
    if (mine === undefined || mine === theirs) return [];
    return [`${path}: plugins/${mine} must not import ${target}`];
  }
  if (!room.mayImport.some((place) => holds(place, target)))
    return [`${path}: ${own} must not import ${target} (scripts/house/rules.ts)`];
  // A rule that names this file permits it.
  if (room.mayImport.includes(placeOf(target))) return [];
  const fault = doorFault(own, other, target);
  return fault === undefined ? [] : [`${path}: ${fault}`];
}

function doorFault(own: string, other: string, target: string): string | undefined {
  const { doors, makers = [] } = rooms[other] ?? {};
  const file = placeOf(target).slice(other.length + 1);
  if (makers.includes(file)) {
    if (assemblers.includes(own)) return undefined;
    return `${target} is for ${assemblers.join(", ")}, which assemble the program`;
  }
  if (doors === undefined || doors.includes(file)) return undefined;
  return `${target} is not exported by ${other}: import ${doors.map((door) => `${other}/${door}`).join(" or ")}`;
}

/**
 * `plugins/drivers/netmiko/args.ts` -> `drivers`; the list of built-ins belongs to no family and may import
 * all.
 */
function familyOf(path: string): string | undefined {
  const [first, second] = path.split("/");
  return first === "plugins" && second !== "index.ts" ? second : undefined;
}

/** Reports doors that no other room uses. */
function staleDoors(sources: readonly SourceFile[]): string[] {
  const used = new Set(
    sources.flatMap(({ path, files }) => files.filter((file) => roomOf(file) !== roomOf(path)).map(placeOf)),
  );
  // Used by plugins, tests and plugin authors, not by rooms of src.
  const fromOutside = ["testkit/index.ts", "plugin/index.ts"];
  return Object.entries(rooms).flatMap(([name, { doors = [], makers = [] }]) =>
    [...doors, ...makers]
      .map((file) => `${name}/${file}`)
      .filter((door) => !used.has(door) && !fromOutside.includes(door))
      .map((door) => `scripts/house/rules.ts: no other room imports ${door}: take it off the list`),
  );
}

/** Reports permitted imports that a room does not use, to keep the table accurate. */
function staleLeave(sources: readonly SourceFile[]): string[] {
  return Object.entries(rooms).flatMap(([name, { mayImport }]) => {
    const targets = sources.filter(({ path }) => roomOf(path) === name).flatMap(({ files }) => files);
    return mayImport
      .filter(
        (place) =>
          !(place in byName) && !targets.some((target) => roomOf(target) !== name && holds(place, target)),
      )
      .map((place) => `scripts/house/rules.ts: ${name} does not import ${place}: take it off the list`);
  });
}

function libraryFault(path: string, library: string): string[] {
  // Provided by the runtime.
  if (library.startsWith("bun:") && placeOf(path).startsWith("runtime/")) return [];
  const places = libraries[library];
  if (!places) return [`${path}: ${library} has no owner in scripts/house/rules.ts`];
  if (places.some((place) => holds(place, path))) return [];
  return [`${path}: only ${places.join(", ")} may import ${library}`];
}

function unownedLibraries(): string[] {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  const explained = readFileSync("docs/reference/dependencies.md", "utf8");
  const names = Object.keys(dependencies);
  return [
    ...names
      .filter((library) => !(library in libraries))
      .map((library) => `package.json: ${library} has no owner in scripts/house/rules.ts`),
    ...names
      .filter((library) => !explained.includes(library))
      .map((library) => `docs/reference/dependencies.md: the table does not explain ${library}`),
  ];
}

function staleOwners(sources: readonly SourceFile[]): string[] {
  return Object.entries(libraries).flatMap(([library, places]) =>
    places
      .filter(
        (place) => !sources.some(({ path, packages }) => packages.includes(library) && holds(place, path)),
      )
      .map((place) => `scripts/house/rules.ts: ${place} does not import ${library}: take it off the list`),
  );
}
