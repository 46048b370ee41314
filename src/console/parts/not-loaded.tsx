/** Shown in place of an entry that is still loading or could not be loaded. */
import { to } from "../route.ts";
import { text } from "../text/text.ts";
import { useAlert } from "./alert.tsx";
import { Problem } from "./problem.tsx";

interface NotLoadedProps {
  readonly title: string;
  readonly error: unknown;
  /** The list that the entry belongs to, and its name. */
  readonly list: readonly [step: string, name: string];
}

export function NotLoaded({ title, error, list: [step, name] }: NotLoadedProps) {
  if (error === undefined) return <Loading title={title} />;
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

/** A page has its heading from the beginning, for those who hear it. */
export function Loading({ title }: { title: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p class="empty">{text.loading}</p>
    </>
  );
}

/** In place of a page that cannot be fetched or drawn. */
export function NotShown({ title }: { title: string }) {
  useAlert(text.notShown);
  return (
    <>
      <h1>{title}</h1>
      <p>
        {text.notShown}{" "}
        <button type="button" onClick={() => location.reload()}>
          {text.reload}
        </button>
      </p>
    </>
  );
}
