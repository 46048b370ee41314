/**
 * What a move of the store leaves among the names of migrations, so that no program works on a half of a database, or
 * on one that has moved away. One that does not know moves refuses it as well, as made by a newer version.
 */
import { ServiceError } from "../../base/errors.ts";

/** `in`: it is being filled. `leaving`: it is being copied. `left`: the copy is complete, and lies at `to`. */
export interface Mark {
  readonly state: "in" | "leaving" | "left";
  /** Of the move, the same on both sides. */
  readonly id: string;
  readonly to?: string;
}

const form = /^move\.(in|leaving|left) (\S+)(?: (.*))?$/s;

export function nameOf({ state, id, to }: Mark): string {
  return `move.${state} ${id}${to === undefined ? "" : ` ${to}`}`;
}

export function markOf(name: string): Mark | undefined {
  const [, state, id, to] = form.exec(name) ?? [];
  if (id === undefined || (state !== "in" && state !== "leaving" && state !== "left")) return undefined;
  return { state, id, ...(to === undefined ? {} : { to }) };
}

const texts: Readonly<Record<Mark["state"], (to: string) => string>> = {
  in: () =>
    "A move into this database was interrupted: run `patchbay store move` again, with the same places, or give an empty database.",
  leaving: () =>
    "This database is being moved: run `patchbay store move` again, with the same places, to complete it, or with --abandon to work on here.",
  left: (to) =>
    `This database was moved to ${to}: set PATCHBAY_DATABASE_URL to that place. To come back, put this one away and move that one here.`,
};

/** @throws ServiceError Unavailable if one of the names is a mark */
export function requireUnmoved(names: readonly string[]): void {
  for (const name of names) {
    const mark = markOf(name);
    if (mark !== undefined)
      throw new ServiceError("Unavailable", texts[mark.state](mark.to ?? "another place"));
  }
}
