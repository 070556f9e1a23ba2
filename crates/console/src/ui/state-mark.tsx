// A state as a word with a colour, which styles choose by its name.

export const StateMark = ({ state, name }: { state: string; name: string }) => (
  <span class="state" data-state={state}>{name}</span>
);
