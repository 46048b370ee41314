/** Shown in place of a page that the key has no right to. */
import type { ComponentType } from "preact";
import { holds } from "../reading/api.ts";
import { text } from "../text/text.ts";
import { Prose } from "./prose.tsx";

/** The page, or what is missing to read it. */
export function withHistory(title: string, Page: ComponentType<{ id: string }>) {
  return function Guarded({ id }: { id: string }) {
    if (holds("history")) return <Page id={id} />;
    return (
      <>
        <h1>{title}</h1>
        <p class="problem">
          <Prose of={text.history.noRight} />
        </p>
      </>
    );
  };
}
