/** Windows of the inventory's groups: a push to a device of one waits until it opens, and begins no more when it closes. */
import { allOf, readWindows, type Windows } from "../base/windows.ts";
import type { Inventory, Snapshot } from "../inventory/port.ts";
import { canonicalHost } from "../model/identity.ts";
import type { CheckedOperation } from "./operation.ts";

export interface BrakeTools {
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly store: { readonly clock: { wall(): number } };
  readonly iso: (ms: number) => string;
}

type Taken = Extract<CheckedOperation, { ok: true }>;

/** Whatever it is called, it is the device, or what a driver makes of its name. */
const devicePaths = new Set(["connection_args", "connection_args.host"]);
const byTexts = new WeakMap<readonly string[], Windows>();
const known = new WeakMap<Snapshot, boolean>();

/** Of one request: the inventory is asked once, and for pushes only. */
export function createBrake({ inventory, store, iso }: BrakeTools) {
  let asked: Promise<Snapshot> | undefined;

  return async (checked: CheckedOperation): Promise<CheckedOperation> => {
    if (!checked.ok || checked.operation.operation !== "config") return checked;
    asked ??= inventory.snapshot();
    const snapshot = await asked;
    return hasWindows(snapshot) ? held(checked, snapshot) : checked;
  };

  function held(checked: Taken, snapshot: Snapshot): CheckedOperation {
    const { operation } = checked;
    const windows = windowsOf(checked, snapshot);
    if (windows === undefined) return checked;
    const from = Math.max(store.clock.wall(), operation.notBefore ?? 0);
    const opens = windows.nextOpen(from);
    const open = opens === undefined ? undefined : windows.openAt(opens);
    const told = windows.texts.join(", ").slice(0, 500);
    if (opens === undefined || open === undefined) {
      const message = `the windows of the groups of this device are never open together within four weeks: ${told}`;
      const { host, deviceType } = operation;
      return { ok: false, issues: [{ path: "connection_args.host", message }], host, deviceType };
    }
    const closes = `what has not begun by ${iso(open.to)} does not begin`;
    const warning =
      opens > from
        ? `held until ${iso(opens)}, when the window of its group opens (${told}); ${closes}`
        : `the window of its group (${told}) closes before its ttl is over: ${closes}`;
    const isTold = opens > from || open.to < from + operation.ttlMs;
    return {
      ...checked,
      operation: {
        ...operation,
        notBefore: opens > from ? opens : operation.notBefore,
        windowEnd: open.to,
        warnings: isTold ? [...operation.warnings, warning] : operation.warnings,
      },
    };
  }
}

function windowsOf({ operation, hosts }: Taken, snapshot: Snapshot): Windows | undefined {
  const named = hosts.filter(({ path }) => devicePaths.has(path)).map(({ host }) => host);
  const keys = new Set([operation.host, ...named].map(canonicalHost));
  const lists = new Set<readonly string[]>();
  for (const key of keys)
    for (const { window } of snapshot.devicesAt(key)) if (window && window.length > 0) lists.add(window);
  return lists.size === 0 ? undefined : allOf([...lists].map(windowsIn));
}

function windowsIn(texts: readonly string[]): Windows {
  const read = byTexts.get(texts) ?? readWindows(texts);
  byTexts.set(texts, read);
  return read;
}

function hasWindows(snapshot: Snapshot): boolean {
  const found =
    known.get(snapshot) ?? snapshot.groups().some(({ window }) => window !== null && window.length > 0);
  known.set(snapshot, found);
  return found;
}
