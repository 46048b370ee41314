/** A sentence of the console, in which commands stand between backticks. */
export function Prose({ of }: { of: string }) {
  return (
    <>{of.split("`").map((piece, index) => (index % 2 === 0 ? piece : <code key={piece}>{piece}</code>))}</>
  );
}
