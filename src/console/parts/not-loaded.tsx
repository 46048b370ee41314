/** Shown in place of an entry that is still loading or could not be loaded. */
import { to } from "../route.ts";
import { text } from "../text/text.ts";
import { Problem } from "./problem.tsx";

interface NotLoadedProps {
  readonly title: string;
  readonly error: unknown;
  /** The list that the entry belongs to, and its name. */
  readonly list: readonly [step: string, name: string];
}

export function NotLoaded({ title, error, list: [step, name] }: NotLoadedProps) {
  if (error === undefined) return <p class="empty">{text.loading}</p>;
  return (
    <>
      <h1>{title}</h1>
      <Problem error={error} />
      <p>
        <a href={to([step])}>{name}</a>
      </p>
    </>
  );
}
