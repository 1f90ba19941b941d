"""The page of `reel report` in headless Chromium. Skipped where there is no Chromium or no Selenium."""

import shutil

import numpy as np
import pytest

import reel
from test_report import module

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

pytestmark = pytest.mark.skipif(
    not (webdriver and shutil.which("chromium") and shutil.which("chromedriver")),
    reason="no Selenium or no chromium and chromedriver: the page of `reel report` is not tested",
)


@pytest.fixture(scope="module")
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(30)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    log = folder / "run.csv"
    log.write_text("step,loss,accuracy\n" + "".join(f"{i},{2 / (i + 1)},{i / 50}\n" for i in range(50)))
    reel.report(module(), str(folder / "report.html"), logs=str(log))
    return (folder / "report.html").as_uri()


@pytest.fixture
def opened(driver, page):
    """The page, and afterwards no error in its console."""
    driver.get("about:blank")
    driver.get_log("browser")
    driver.get(page)
    yield driver
    assert driver.get_log("browser") == []


def detail(driver):
    return driver.find_element(By.ID, "detail").text


def settled(driver):
    """Two frames later, when all that was asked for is drawn."""
    driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")


def test_click_on_a_kernel_shows_its_source_line(opened):
    opened.find_element(By.ID, "tab-kernels").click()
    rows = opened.find_elements(By.CSS_SELECTOR, "#kernels tr.row")
    assert len(rows) > 2
    for row in rows:
        row.click()
        assert "test_report.py:" in detail(opened) and "kernel @" in detail(opened)
    opened.find_elements(By.CSS_SELECTOR, "svg .dot")[0].click()
    assert "test_report.py:" in detail(opened)


def test_search_finds_a_node(opened):
    search = opened.find_element(By.ID, "search")
    search.send_keys("tanh f32[32,16]")
    found = opened.find_elements(By.CSS_SELECTOR, "#found button")
    assert found and all("tanh" in f.text for f in found)
    search.send_keys(Keys.ENTER)
    settled(opened)
    assert "tanh" in detail(opened) and "forward" in detail(opened)
    assert opened.find_element(By.ID, "pane-graph").is_displayed()
    search.clear()
    search.send_keys("no such thing")
    assert opened.find_element(By.ID, "found").text == "nothing found"


def test_click_on_a_box_shows_the_op(opened):
    opened.find_element(By.ID, "tab-graph").click()
    settled(opened)
    x, y, label = opened.execute_script("""
      const pane = report.graphPane, graph = pane.graph, i = graph.data.nodes.partner.findIndex((p) => p >= 0);
      pane.reveal(graph.index, i);
      const box = pane.view.canvas.getBoundingClientRect(), [x, y] = pane.view.toScreen(...graph.place(i));
      return [Math.round(box.left + x + 20), Math.round(box.top + y + 10), graph.label(i)];""")
    actions = webdriver.ActionChains(opened)
    actions.w3c_actions.pointer_action.move_to_location(x, y)
    actions.w3c_actions.pointer_action.click()
    actions.perform()
    text = detail(opened).lower()
    assert text.startswith(label) and "gradient of" in text and "test_report.py:" in text


def test_zoom_and_pan_keep_what_is_under_the_pointer(opened):
    opened.find_element(By.ID, "tab-graph").click()
    settled(opened)
    before, after = opened.execute_script("""
      const view = report.graphPane.view, at = {clientX: 300, clientY: 300}, before = view.toWorld(at);
      view.zoom(3, ...before);
      view.pan(40, 20);
      return [before, view.toWorld({clientX: 340, clientY: 320})];""")
    assert np.allclose(before, after)


def test_memory_marks_its_peak(opened):
    opened.find_element(By.ID, "tab-memory").click()
    settled(opened)
    assert "at the peak" in opened.find_element(By.ID, "memory-text").text
    drawn = opened.execute_script("""
      const canvas = document.querySelector("#pane-memory canvas");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      return data.some((x) => x > 0);""")
    assert drawn


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_pane_in_light_and_dark(opened, scheme):
    opened.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    for tab in opened.find_elements(By.CSS_SELECTOR, "#tabs button"):
        tab.click()
        settled(opened)
    assert len(opened.find_elements(By.CSS_SELECTOR, "#pane-curves svg")) == 2
    assert len(opened.find_elements(By.CSS_SELECTOR, "#pane-compile .bar")) > 10


def test_hostile_names_do_nothing(driver, tmp_path):
    evil = "</script><img src=x onerror=alert(1)>"
    v = reel.Variable([1.0], name=evil)
    graph = reel.Module.lift(
        {"main": (lambda x: {evil: v.value() * x}, (reel.TensorSpec((1,), name=evil),))}, name=evil
    )
    reel.report(graph, str(tmp_path / "r.html"), run=False)
    driver.get((tmp_path / "r.html").as_uri())
    settled(driver)
    assert evil in driver.find_element(By.ID, "title").text
    assert not driver.find_elements(By.TAG_NAME, "img") and driver.get_log("browser") == []
