// How a card is named in addresses: by its key, `GEAR-12`, or by its id until it has one.

/** A card with what names it. */
export interface NamedCard {
  id: string;
  key?: string | null | undefined;
}

const KEY = /^[a-z]{2,6}-[1-9]\d*$/i;

/** True for a text that is written as the key of a card. */
export const isKey = (said: string) => KEY.test(said);

export const nameOf = ({ id, key }: NamedCard) => key ?? id;

/** True if the name means the card; keys are read in any case. */
export const isNamed = ({ id, key }: NamedCard, name: string) =>
  name !== "" && (id === name || (key ?? "").toLowerCase() === name.toLowerCase());

/** The card that an address names. */
export const cardNamed = <Card extends NamedCard>(cards: readonly Card[], name: string): Card | undefined =>
  cards.find((card) => isNamed(card, name));

/** The address of a card's page. */
export const cardHref = (project: string, card: NamedCard) => `/projects/${project}/cards/${nameOf(card)}`;

/** The key and the name of a card in one text, for menus. */
export const titleOf = ({ key, name }: { key?: string | null; name: string }) => (key ? `${key} ${name}` : name);
