/** Windows of the inventory's groups: a push to a device of one waits until it opens, and begins no more when it closes. */
import { addressesSpelled } from "../base/address-spelling.ts";
import { allOf, readWindows, type Windows } from "../base/windows.ts";
import type { Brake, Inventory, Snapshot } from "../inventory/port.ts";
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

/** Of one request: the inventory is asked once, and for pushes only. */
export function createBrake({ inventory, store, iso }: BrakeTools) {
  let asked: Promise<Snapshot> | undefined;

  return async (checked: CheckedOperation): Promise<CheckedOperation> => {
    if (!checked.ok || checked.operation.operation !== "config") return checked;
    asked ??= inventory.snapshot();
    const snapshot = await asked;
    return snapshot.hasBrakes ? held(checked, snapshot) : checked;
  };

  function held(checked: Taken, snapshot: Snapshot): CheckedOperation {
    const { operation } = checked;
    const brakes = brakesOf(checked, snapshot);
    const lost = brakes.find(({ lostGroup }) => lostGroup !== undefined);
    if (lost !== undefined) return refused(operation, lostText(lost.lostGroup ?? ""));
    const windows = windowsOf(brakes);
    if (windows === undefined) return checked;
    const from = Math.max(store.clock.wall(), operation.notBefore ?? 0);
    const opens = windows.nextOpen(from);
    const open = opens === undefined ? undefined : windows.openAt(opens);
    const told = windows.texts.join(", ").slice(0, 500);
    if (opens === undefined || open === undefined) {
      const message = `the windows of the groups of this device are never open together within four weeks: ${told}`;
      return refused(operation, message);
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

function refused({ host, deviceType }: Taken["operation"], message: string): CheckedOperation {
  return { ok: false, issues: [{ path: "connection_args.host", message }], host, deviceType };
}

function lostText(group: string): string {
  return `is in the group ${group}, which can not be read: whether it may be configured now is not known. The log says inventory.unreadable; write the group anew`;
}

function brakesOf({ operation, hosts }: Taken, snapshot: Snapshot): Brake[] {
  const named = hosts.filter(({ path }) => devicePaths.has(path)).map(({ host }) => host);
  const spelled = [operation.host, ...named].flatMap((host) => [host, ...addressesSpelled(host)]);
  return [...new Set(spelled.map(canonicalHost))].flatMap((key) => snapshot.brakesAt(key));
}

function windowsOf(brakes: readonly Brake[]): Windows | undefined {
  const lists = new Set<readonly string[]>();
  for (const { window } of brakes) if (window && window.length > 0) lists.add(window);
  return lists.size === 0 ? undefined : allOf([...lists].map(windowsIn));
}

function windowsIn(texts: readonly string[]): Windows {
  const read = byTexts.get(texts) ?? readWindows(texts);
  byTexts.set(texts, read);
  return read;
}
