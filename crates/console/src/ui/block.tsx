// A block of code or of output.

export function Block({ content, label }: { content: string; label?: string }) {
  return (
    <pre class="block" tabIndex={0} role={label ? "group" : undefined} aria-label={label}>{content}</pre>
  );
}
