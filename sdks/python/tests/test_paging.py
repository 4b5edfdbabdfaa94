from __future__ import annotations

import pytest
from fake_service import FakeAnswer, ask, fake_service
from test_calls import LINK

from latchkey_links import LinksApiError, LinksClient
from latchkey_links._paging import next_cursor


def page(ids: list[int], cursor: str | None = None) -> FakeAnswer:
    headers = {"x-total-count": "3"}
    if cursor is not None:
        headers["link"] = f'</_/api/links?limit=2&cursor={cursor}>; rel="next"'
    return FakeAnswer(body=[{**LINK, "id": each} for each in ids], headers=headers)


def test_a_list_is_one_page_with_the_number_of_all_and_the_way_to_the_next(kind: str) -> None:
    with fake_service(page([1, 2], "a%2Bb"), page([3])) as service:
        first = ask(kind, service.url, lambda client: client.links.list(limit=2))
        assert ([link.id for link in first.items], first.total) == ([1, 2], 3)
        assert first.next_cursor == "a+b"
        last = ask(
            kind, service.url, lambda client: client.links.list(limit=2, cursor=first.next_cursor)
        )
    assert last.next_cursor is None
    assert service.requests[1].path == "/_/api/links?limit=2&cursor=a%2Bb"


def test_a_list_is_walked_through_all_pages_with_the_same_parameters(kind: str) -> None:
    with fake_service(page([1, 2], "x"), page([3])) as service:
        links = ask(kind, service.url, lambda client: client.bundles.list_all_links(9, limit=2))
    assert [link.id for link in links] == [1, 2, 3]
    assert [request.path for request in service.requests] == [
        "/_/api/bundles/9/links?limit=2",
        "/_/api/bundles/9/links?limit=2&cursor=x",
    ]


def test_a_list_is_not_loaded_further_than_it_is_read() -> None:
    with (
        fake_service(page([1, 2], "x")) as service,
        LinksClient(service.url, api_key="sk_test") as client,
    ):
        links = client.links.list_all()
        assert [next(links).id, next(links).id] == [1, 2]
    assert len(service.requests) == 1


def test_a_list_that_is_counted_is_walked_by_counting(kind: str) -> None:
    def items(*names: str) -> FakeAnswer:
        return FakeAnswer(
            body={"items": [{"name": name, "count": 1} for name in names], "total": 3}
        )

    with fake_service(items("SE", "ID"), items("DE"), items()) as service:
        values = ask(
            kind,
            service.url,
            lambda client: client.links.breakdown_all(4, dimension="countries", limit=2),
        )
        assert [each.name for each in values] == ["SE", "ID", "DE"]
        assert [request.path for request in service.requests] == [
            "/_/api/links/4/breakdown?dimension=countries&offset=0&limit=2",
            "/_/api/links/4/breakdown?dimension=countries&offset=2&limit=2",
        ]
        nothing = ask(
            kind,
            service.url,
            lambda client: client.bundles.breakdown_all(4, dimension="os", offset=-3),
        )
    assert nothing == []


def test_a_walk_that_fails_gives_what_came_before_then_the_error() -> None:
    with (
        fake_service(page([1], "x"), FakeAnswer(404, {"error": "Not Found"})) as service,
        LinksClient(service.url, api_key="sk_test") as client,
    ):
        links = client.links.list_all()
        assert next(links).id == 1
        with pytest.raises(LinksApiError) as caught:
            next(links)
    assert caught.value.status == 404
    assert len(service.requests) == 2


def test_the_next_cursor_is_found_only_where_a_next_page_is() -> None:
    assert next_cursor('<https://go.example.com/_/api/links?cursor=c1&limit=2>; rel="next"') == "c1"
    for header in (None, "", '</x?cursor=c>; rel="prev"', '</x>; rel="next"'):
        assert next_cursor(header) is None
