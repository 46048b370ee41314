/** A key that was just made: shown once. */
import type * as v from "valibot";
import type { madeKey } from "../shapes/shapes.ts";
import { text } from "../text/text.ts";
import { useAlert } from "./alert.tsx";
import { Copy } from "./copy.tsx";

export function NewKey({ made }: { made: v.InferOutput<typeof madeKey> }) {
  const title = text.myKeys.made(made.name);
  // Not the key itself.
  useAlert(`${title}: ${text.myKeys.once}`);
  return (
    <section class="once">
      <h2>{title}</h2>
      <p>
        <code class="secret">{made.key}</code> <Copy value={made.key} label={made.name} />
      </p>
      <p>{text.myKeys.once}</p>
    </section>
  );
}
