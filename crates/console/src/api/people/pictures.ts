// Requests on pictures of people.

import { answer, api } from "../client";
import type { components } from "../generated/control";

export type PictureRef = components["schemas"]["PictureRef"];

/** Which of these people, at most 100, have a picture that the caller may see. */
export async function lookUpPictures(userIds: string[]): Promise<PictureRef[]> {
  return (await answer(api.POST("/api/v2/pictures/lookup", { body: { userIds } }))).pictures;
}

/** The bytes of a picture, which the browser keeps. */
export async function readPicture(pictureHash: string): Promise<Blob> {
  const params = { path: { pictureHash } };
  return await answer(api.GET("/api/v2/pictures/{pictureHash}", { params, parseAs: "blob" }));
}

/** Makes an image the caller's picture. */
export async function putPicture(image: Blob): Promise<PictureRef> {
  const form = new FormData();
  form.append("file", image, "picture");
  // The client sends a form as it is.
  return (await answer(api.PUT("/api/v2/me/picture", { body: form as never }))).picture;
}

export async function deletePicture(): Promise<void> {
  await answer(api.DELETE("/api/v2/me/picture"));
}
