/** What is known of a record, in a line or two: each name with its value. */
import type { ComponentChildren } from "preact";
import { Copy } from "./copy.tsx";

export type Fact = readonly [name: string, value: ComponentChildren];

interface FactsProps {
  /** Those without a value are left out. */
  readonly of: readonly Fact[];
  /** The last, to be copied. */
  readonly id?: string;
}

export function Facts({ of, id }: FactsProps) {
  const own: Fact = [
    "id",
    id && (
      <>
        <code>{id}</code> <Copy value={id} label="id" />
      </>
    ),
  ];
  return (
    <dl class="facts">
      {[...of, own].map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
