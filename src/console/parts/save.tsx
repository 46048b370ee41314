/** A button that saves a generated text as a file. */

interface SaveProps {
  readonly name: string;
  readonly type: "text/csv" | "text/plain";
  readonly label: string;
  readonly make: () => string;
}

export function Save({ name, type, label, make }: SaveProps) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([make()], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name.replace(/[^\w.-]+/g, "-").slice(0, 80);
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <button type="button" class="quiet" onClick={save}>
      {label}
    </button>
  );
}
