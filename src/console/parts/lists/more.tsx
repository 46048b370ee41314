/** What is left of a list, on request. */
import { text } from "../../text/text.ts";
import { Action } from "../action.tsx";

/** @param act absent: nothing is left */
export function More({ act }: { readonly act: (() => unknown) | undefined | false }) {
  return act ? <Action quiet label={text.more} act={act} /> : null;
}
