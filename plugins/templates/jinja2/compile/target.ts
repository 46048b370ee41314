/** Compiles assignment targets: the left side of `=` and the part between `for` and `in`. */
import { PyError, unpack, type Value } from "../../python/index.ts";
import { Namespace } from "../run/namespace.ts";
import type { Frame } from "../run/runtime.ts";
import type { Expr, Target } from "../syntax/nodes.ts";
import { type Place, slotReader } from "./unit.ts";

export type Assign = (frame: Frame, value: Value) => void;

/** The parser only accepts names, tuples of targets and attributes of namespaces as targets. */
export const isTarget = (node: Expr): node is Target =>
  node.kind === "name" || node.kind === "tuple" || node.kind === "nsref";

export function compileTarget(target: Target, place: Place): Assign {
  if (target.kind === "tuple") {
    const parts = target.items.filter(isTarget).map((item) => compileTarget(item, place));
    return (frame, value) => {
      const items = unpack(value, parts.length, frame.context.meter);
      for (let i = 0; i < parts.length; i++) (parts[i] as Assign)(frame, items[i] as Value);
    };
  }
  const slot = place.scope.find(target.name);
  if (target.kind === "name") {
    const index = slot?.index ?? 0;
    return (frame, value) => {
      frame.slots[index] = value;
    };
  }
  const read = slot === undefined ? () => undefined : slotReader(slot, place.owner);
  const { attr } = target;
  return (frame, value) => {
    const namespace = read(frame);
    if (!(namespace instanceof Namespace))
      throw new PyError("TemplateRuntimeError", "cannot assign attribute on non-namespace object");
    namespace.setattr(attr, value);
  };
}

/** All names that a target binds. */
export function targetNames(target: Target): string[] {
  if (target.kind === "name") return [target.name];
  return target.kind === "tuple" ? target.items.filter(isTarget).flatMap(targetNames) : [];
}
