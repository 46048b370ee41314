/** What one page hands to the next: in memory only, because lines and variables may hold secrets. */
import * as v from "valibot";
import { type ChangeOfPush, changeOfPush } from "../api/changes/change-of-push.ts";
import { me } from "./reading/api.ts";
import { go } from "./route.ts";
import { type Asked, asked } from "./shapes/changes.ts";

export interface Carried {
  readonly asked: Asked;
  /** What was typed for a push and has no place in a change. */
  readonly misplaced: ChangeOfPush["misplaced"];
}

let carried: Carried | undefined;

/** Opens the form of a change with what was typed for a push. @throws ValiError it cannot be asked for in a change */
export function carryPush(push: object): void {
  const { change, misplaced } = changeOfPush({ ...push }, "");
  carried = { asked: v.parse(asked, change), misplaced };
  go(["change", "new"]);
}

interface ReturnedPush {
  readonly devices: readonly string[];
  readonly select?: string | null | undefined;
  /** ISO 8601. */
  readonly began: string;
  readonly ticket?: string | null | undefined;
}

/** Opens the form of a change that gives devices back what they had when a push began. */
export function carryReturn({ devices, select, began, ticket }: ReturnedPush): void {
  const targets = select ? { select } : { devices };
  const change = { name: "", ...targets, restore: { at: began }, ...(ticket ? { ticket } : {}) };
  carried = { asked: v.parse(asked, change), misplaced: [] };
  go(["change", "new"]);
}

/** A dry run of the run form. */
interface TypedRun {
  /** Of its job or bulk. */
  readonly id: string;
  readonly driver: string;
  /** Names and values of the form's fields. */
  readonly fields: ReadonlyMap<string, string>;
}

let typed: TypedRun | undefined;

export function keepTyped(run: TypedRun): void {
  typed = run;
}

/** What was typed for this dry run, if it was the last of this page. */
export function typedFor(id: string | null): TypedRun | undefined {
  return typed?.id === id ? typed : undefined;
}

/** Another session on the same page knows nothing of it: it may be of somebody else. */
let owner: string | undefined;
me.subscribe(() => {
  const session = me.value;
  // Unknown while it is being ended, which may fail.
  if (session === undefined) return;
  if (session?.id !== owner) [carried, typed] = [undefined, undefined];
  owner = session?.id;
});

/** Once. */
export function takeCarried(): Carried | undefined {
  const taken = carried;
  carried = undefined;
  return taken;
}
