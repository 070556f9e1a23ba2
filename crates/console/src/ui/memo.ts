// Components that render again only for other properties. Signals that they read render them as well.

import { Component, createElement, type FunctionComponent, type VNode } from "preact";

/** Wraps a component, so that equal properties leave it as it is. */
export function memo<Props extends object>(Inner: FunctionComponent<Props>): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const names = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof Props>;
      for (const name of names) if (next[name] !== (this.props as Props)[name]) return true;
      return false;
    }

    override render(): VNode {
      return createElement(Inner, this.props as Props) as VNode;
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
