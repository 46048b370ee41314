/** Reads configurations now: a button that leads to the bulk. */
import { ask, may } from "../../reading/api.ts";
import { go } from "../../route.ts";
import { bulkAnswer } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { Action } from "../action.tsx";

interface TakeProps {
  /** What is read: names, or a selector. */
  readonly of: { readonly devices: readonly string[] } | { readonly select: string };
  readonly label?: string;
  readonly sure?: string;
  readonly quiet?: boolean;
}

export function Take({ of, label = text.history.take, sure, quiet }: TakeProps) {
  if (!may("operate")) return null;
  const take = async () => {
    const { bulk_id } = await ask(bulkAnswer, "/history/take", { method: "POST", body: of });
    go(["bulk", bulk_id]);
  };
  return <Action label={label} quiet={quiet === true} {...(sure === undefined ? {} : { sure })} act={take} />;
}
