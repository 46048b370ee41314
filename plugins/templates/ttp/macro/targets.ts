/** Attributes, items and slices, as expressions and as assignment targets. */
import {
  attributeError,
  PyObject,
  PySlice,
  requireAttribute,
  typeName,
  type Value,
} from "../../python/index.ts";
import { createExpr, type Expr } from "./expr.ts";
import { deleteItem, readItem, writeItem } from "./items.ts";

export function attributeOf({ read: owner }: Expr, name: string, line: number): Expr {
  return {
    ...createExpr("attribute", line, (frame) => requireAttribute(owner(frame), name, frame.meter)),
    target: {
      write: (frame, value) => writeAttribute(owner(frame), name, value),
      change(frame, by) {
        const now = owner(frame);
        writeAttribute(now, name, by(requireAttribute(now, name, frame.meter)));
      },
    },
  };
}

function writeAttribute(owner: Value, name: string, value: Value): void {
  if (!(owner instanceof PyObject) || owner.setattr === undefined)
    throw attributeError(`'${typeName(owner)}' object attribute '${name}' is read-only`);
  owner.setattr(name, value);
}

export function itemOf({ read: owner }: Expr, { read: key }: Expr, line: number): Expr {
  return {
    ...createExpr("item", line, (frame) => {
      const now = owner(frame);
      return readItem(now, key(frame), frame.meter);
    }),
    target: {
      write(frame, value) {
        const now = owner(frame);
        writeItem(now, key(frame), value, frame.meter);
      },
      remove(frame) {
        const now = owner(frame);
        deleteItem(now, key(frame), frame.meter);
      },
      change(frame, by) {
        const now = owner(frame);
        const at = key(frame);
        writeItem(now, at, by(readItem(now, at, frame.meter)), frame.meter);
      },
    },
  };
}

export function sliceOf(
  start: Expr | undefined,
  stop: Expr | undefined,
  step: Expr | undefined,
  line: number,
): Expr {
  return createExpr(
    "slice",
    line,
    (frame) => new PySlice(start?.read(frame) ?? null, stop?.read(frame) ?? null, step?.read(frame) ?? null),
  );
}
