/** A key that was just made: shown once. */
import type * as v from "valibot";
import type { madeKey } from "../shapes/shapes.ts";
import { text } from "../text/text.ts";
import { Copy } from "./copy.tsx";

export function NewKey({ made }: { made: v.InferOutput<typeof madeKey> }) {
  return (
    <section class="once" role="alert">
      <h2>{text.myKeys.made(made.name)}</h2>
      <p>
        <code class="secret">{made.key}</code> <Copy value={made.key} label={made.name} />
      </p>
      <p>{text.myKeys.once}</p>
    </section>
  );
}
